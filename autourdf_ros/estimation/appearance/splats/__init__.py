"""Gaussian splats that move with the links of a robot, under a light that does not."""
