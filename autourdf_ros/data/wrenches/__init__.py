"""Recordings of forces: the wrench of a load on a sensor that moves, read within bounds."""
