"""Bodies in a video: their poses in every frame, and the joints between them."""
