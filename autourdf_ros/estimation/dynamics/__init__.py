"""Masses, friction and damping of a mechanism or robot from how it moves: posterior, forecast."""
