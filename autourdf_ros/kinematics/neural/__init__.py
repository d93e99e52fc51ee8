"""AutoURDF's own method: cluster registration by neural networks (Lin et al., CVPR 2025)."""
