"""Commanding a robot safely: limits, trajectories, targets, supervision. Knows nothing of ROS."""
