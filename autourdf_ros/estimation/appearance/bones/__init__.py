"""The baseline of Hu, Yu and Tan (2025): splats moved by neural bones, in PyTorch."""
