"""Assess how sure the model is, and what the frames do not show."""
