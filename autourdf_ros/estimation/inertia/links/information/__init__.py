"""What efforts can show: base parameters, what the data say, and motions that would show more."""
