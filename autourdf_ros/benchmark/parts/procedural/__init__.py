"""Everyday objects with known joints, of random proportions."""
