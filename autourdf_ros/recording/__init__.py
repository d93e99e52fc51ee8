"""Frames of points and joint readings: in memory, on disk, and their cleaning."""
