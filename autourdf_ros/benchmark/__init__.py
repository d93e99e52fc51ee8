"""Measure the reconstruction on robots that nobody tuned it for."""
