"""Rotations that map a body's surface to itself: no image shows which of them has happened."""
