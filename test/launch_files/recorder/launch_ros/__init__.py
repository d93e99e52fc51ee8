"""A small recorder with the names of ROS 2's `launch_ros`; see `launch` beside it."""
