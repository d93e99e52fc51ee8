"""Estimate kinematics from the meshes of parts that stand still: contact, tree, joints."""
