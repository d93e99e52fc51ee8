"""Whether the camera of a video stood still, by what it shows."""
