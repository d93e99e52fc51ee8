"""Estimate a robot's kinematics and shape from frames of its motion."""
