"""Infer kinematics as Kinematify does: tree search over a contact graph, then DW-CAVL."""
