"""Learn a model during a capture, and screen motions by it."""
