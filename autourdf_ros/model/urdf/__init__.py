"""Read URDF files of any origin: structure, meshes, kinematics, live transforms."""
