"""The ROS 2 nodes: convert messages, call the core, publish."""
