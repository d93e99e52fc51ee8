"""What real force-torque sensors do: bias, drift, delay, saturation, and loads of their own."""
