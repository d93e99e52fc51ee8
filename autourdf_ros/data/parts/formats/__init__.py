"""Mesh files of any origin as named parts, read within bounds and without leaving their folder."""
