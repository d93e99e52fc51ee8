"""Stand-in for `sensor_msgs_py` where no ROS installation has it: the same call signatures."""
