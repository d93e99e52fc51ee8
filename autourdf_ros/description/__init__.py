"""The robot model and what is written from it: meshes, URDF, result folder, report."""
