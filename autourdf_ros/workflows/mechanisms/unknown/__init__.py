"""Mechanisms in videos whose shapes are not known."""
