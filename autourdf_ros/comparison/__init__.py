"""What changed between two robot descriptions. No ROS."""
