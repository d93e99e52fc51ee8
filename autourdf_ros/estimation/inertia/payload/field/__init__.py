"""Density as a Gaussian field over clusters of an object: its prior, shape and solution."""
