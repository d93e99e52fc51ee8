"""Joint angles of a robot from images of it: a search that draws it with its splats."""
