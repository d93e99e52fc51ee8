"""Read the true robot of a recording and find what the recording shows of it."""
