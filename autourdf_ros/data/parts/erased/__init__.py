"""Models with their joints erased: a URDF or MJCF as part meshes and the truth about them."""
