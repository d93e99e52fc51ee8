"""Parts of a body: compact clusters of its elements, and a hierarchy of convex pieces."""
