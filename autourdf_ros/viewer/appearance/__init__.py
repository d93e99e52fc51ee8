"""Splats and recorded images on the page."""
