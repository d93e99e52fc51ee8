"""Search for the structure of a robot that explains its data best: one loop, one score."""
