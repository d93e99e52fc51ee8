"""Compare an observation of the cameras with the watched model."""
