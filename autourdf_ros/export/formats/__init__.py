"""URDF, xacro, SRDF, MJCF and USD."""
