"""Fit joints of every type to the poses of bodies, modulo their symmetry."""
