"""The monitor node: watches a robot with its own model."""
