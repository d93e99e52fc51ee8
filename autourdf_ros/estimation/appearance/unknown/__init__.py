"""A robot's whole model from images and motor positions alone: tree, joints, shapes, splats."""
