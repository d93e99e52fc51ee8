"""Watch whether the robot does what it was commanded, and whether it is still heard."""
