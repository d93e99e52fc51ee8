"""What the pixels of an image say about the poses of bodies."""
