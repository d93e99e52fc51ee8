"""The true robot of a recording, and what the recording shows of it."""
