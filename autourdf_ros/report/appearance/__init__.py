"""The account of a self-model from images alone."""
