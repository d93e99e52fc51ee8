"""The robot's own masses and friction from joint efforts, around a prior by shape."""
