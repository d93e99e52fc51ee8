"""Fits splats to images by gradient descent."""
