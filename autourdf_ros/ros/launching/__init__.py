"""What the launch files share; the only folder that needs ROS 2's `launch`."""
