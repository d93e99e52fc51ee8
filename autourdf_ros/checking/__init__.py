"""The quality gate: whether a URDF can be used at once by planners and simulators. No ROS."""
