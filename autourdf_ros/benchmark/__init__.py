"""The benchmark: robots that nobody tuned for, one command, one table."""
