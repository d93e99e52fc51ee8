"""Compare one observation with the posed model."""
