"""Find the joint between two parts by the symmetry of their surfaces about its axis."""
