"""ROS packages of a robot: its description, and its MoveIt configuration."""
