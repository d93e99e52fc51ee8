"""Choose the tree over the parts: which pairs are joined, and which part is the base."""
