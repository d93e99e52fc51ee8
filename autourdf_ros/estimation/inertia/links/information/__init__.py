"""What efforts can tell: base parameters, what the data told, and motions that would tell more."""
