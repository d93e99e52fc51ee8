"""Is this machine fit to run the package, and what to do where it is not."""
