"""Find where every part is in every frame of a recording."""
