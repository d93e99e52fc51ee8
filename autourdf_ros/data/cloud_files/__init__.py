"""Point clouds as PLY, PCD and NPZ files, and recordings as folders of them."""
