"""Where bodies are at the start: shapes found in segments of the first image."""
