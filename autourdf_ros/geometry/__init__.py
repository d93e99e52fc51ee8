"""SE(3), lines, point clouds, nearest neighbours and triangle meshes."""
