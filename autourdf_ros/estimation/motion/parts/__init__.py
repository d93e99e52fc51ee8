"""Rigid parts of what moves, without any joint."""
