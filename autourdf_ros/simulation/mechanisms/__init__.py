"""Simulated mechanisms that move before a camera, with their truth."""
