"""Read and write files safely: untrusted input, versions, whole output or none."""
