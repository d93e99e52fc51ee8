"""The suite `parts`: kinematics from part meshes, on robots and on everyday objects."""
