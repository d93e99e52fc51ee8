"""A robot cell writes its own robot description: motion and point clouds in, URDF out."""

__version__ = "0.1.0"
