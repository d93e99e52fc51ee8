"""Splats for people to look at: on the page of the viewer, and as files of other programs."""
