"""The capture node: moves the robot and records frames."""
