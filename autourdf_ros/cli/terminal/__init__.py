"""Terminal output of commands: progress and summaries."""
