"""Convex collision shapes of links, and the pairs of links that never collide."""
