"""Inertial parameters of a rigid body: their algebra and their physical consistency."""
