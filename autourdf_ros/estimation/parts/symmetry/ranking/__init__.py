"""Measure what speaks for and against proposed axes, and compare them."""
