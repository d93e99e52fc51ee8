"""Compare two robot descriptions."""
