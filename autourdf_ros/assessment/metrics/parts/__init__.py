"""Compute the errors of kinematics that were estimated from parts."""
