"""Compute the errors of inertial parameters that were estimated, against the true ones."""
