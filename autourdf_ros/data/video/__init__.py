"""Videos of a camera that stands still, and the shapes that are seen in them."""
