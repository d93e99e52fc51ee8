"""Closed visual meshes of links, with texture."""
