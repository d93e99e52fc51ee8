"""Check whether this machine can run the package, and say what to do where it cannot."""
