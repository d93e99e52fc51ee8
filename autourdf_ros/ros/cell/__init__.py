"""The robot cell of capture and monitor on ROS topics: cameras, readings, commands."""
