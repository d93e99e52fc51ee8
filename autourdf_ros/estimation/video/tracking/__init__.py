"""Poses of bodies of known shape in every frame of a video."""
