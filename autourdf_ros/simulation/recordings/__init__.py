"""Simulated recordings with their truth."""
