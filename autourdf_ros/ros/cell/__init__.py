"""A real robot cell on ROS topics: cameras, readings, commands."""
