"""Run the command about many jobs at once: batch."""
