"""Learn a model while a capture goes on, and screen motions by it."""
