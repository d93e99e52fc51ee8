"""The demo: the whole chain on a simulated cell, as separate processes on a private domain."""
