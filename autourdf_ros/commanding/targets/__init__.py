"""Choose where the robot moves next."""
