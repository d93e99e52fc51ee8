"""Surfaces and solids of links."""
