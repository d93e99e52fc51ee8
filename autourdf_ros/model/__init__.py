"""A robot's model: links and joints, forward kinematics, and the files that hold it."""
