"""Estimate where the cameras stand, relative to each other."""
