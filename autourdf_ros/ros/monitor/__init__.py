"""The monitor node: watch a robot with its own model, repair the model."""
