"""The ROS 2 nodes, a folder a node: convert messages, call the core, publish."""
