"""Compare a segmentation with the true one, and a surface with the true one."""
