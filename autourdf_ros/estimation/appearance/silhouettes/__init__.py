"""Outlines of a robot in images, and the space that they leave to it."""
