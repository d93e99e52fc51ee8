"""Commands about videos of mechanisms."""
