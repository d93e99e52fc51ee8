"""Differentiable splatting of 3D Gaussians on the CPU."""
