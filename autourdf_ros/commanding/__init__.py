"""Command a robot safely: limits, targets, screening, watching. Knows nothing of ROS."""
