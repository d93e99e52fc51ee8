"""Build the model of an assembly, its warnings and its verdict."""
