"""What images say of a robot's joints: where their axes are, and where they are zero."""
