"""Commands about colour images."""
