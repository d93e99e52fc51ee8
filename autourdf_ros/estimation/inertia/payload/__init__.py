"""Estimate mass, centre of mass and inertia tensor of a held object."""
