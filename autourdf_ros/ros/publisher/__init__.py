"""The publisher node: broadcasts the newest model."""
