"""The published method of AutoURDF (Lin et al., CVPR 2025)."""
