"""Images of a robot whose cameras' poses are unknown, and cameras that COLMAP has found."""
