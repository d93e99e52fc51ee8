"""Read and write files safely: whole or not at all, versioned, and from nobody in particular."""
