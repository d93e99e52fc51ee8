"""Choose and screen the few motions before a repair."""
