"""The reconstruction node: reconstructs in a process of its own."""
