"""What a batch is asked to do: job files, folders of recordings, and where inputs may lie."""
