"""Recordings of joint positions and efforts: readers within bounds, and what makes them unusable."""
