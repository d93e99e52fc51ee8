"""Simulated depth cameras: poses, rendering, noise, scene."""
