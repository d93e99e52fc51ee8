"""Finds the cameras of images by what stands still in them, in metres."""
