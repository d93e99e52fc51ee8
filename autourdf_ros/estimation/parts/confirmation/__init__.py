"""Decide between the ranked alternatives of joints by frames of the moving assembly."""
