"""Joint states without a robot."""
