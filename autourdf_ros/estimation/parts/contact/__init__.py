"""Samples of parts, distances between them, where they touch, and which are congruent."""
