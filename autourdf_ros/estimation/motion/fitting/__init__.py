"""Fit an articulated surface to frames: poses, joint values, axes."""
