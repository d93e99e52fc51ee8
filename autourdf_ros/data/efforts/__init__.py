"""Recordings of joint efforts: readers within bounds, and what makes them unusable."""
