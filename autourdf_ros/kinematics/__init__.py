"""From motion to kinematics: registration, segmentation, topology, joints, refinement."""
