"""The published way to find joints: random samples of consecutive frames (Heiden et al., 2022)."""
