"""Remove joints that the frames do not need."""
