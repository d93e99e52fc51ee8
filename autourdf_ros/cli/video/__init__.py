"""Commands about mechanisms that a video shows."""
