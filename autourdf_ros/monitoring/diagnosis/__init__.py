"""Find which change of the robot explains what the cameras see."""
