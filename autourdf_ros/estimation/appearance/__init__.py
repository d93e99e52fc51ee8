"""Gaussian splats on the links of a robot, from images and joint angles."""
