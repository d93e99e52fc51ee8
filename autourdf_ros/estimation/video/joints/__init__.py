"""Find the joints between bodies from their poses in a video, and build the mechanism's model."""
