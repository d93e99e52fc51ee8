"""A mechanism as MuJoCo simulates it, and which of its parameters are free."""
