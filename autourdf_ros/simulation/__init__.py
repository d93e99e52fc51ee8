"""Simulated robot cell: robot, depth cameras, noise, and recordings with their truth."""
