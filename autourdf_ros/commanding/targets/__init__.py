"""Choose the targets of the motions."""
