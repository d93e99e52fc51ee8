"""Check whether this machine can run the package, and suggest remedies where it cannot."""
