"""Weights by which the candidates of a joint are compared."""
