"""Ask a model that sees images for the types of joints, and weigh its answers."""
