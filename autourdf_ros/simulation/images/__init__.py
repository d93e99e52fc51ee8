"""Colour images of a simulated robot, with its joint positions, masks and depths."""
