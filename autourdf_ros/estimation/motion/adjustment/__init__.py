"""Adjust the final model to all frames."""
