"""The suite of appearance: a robot's colours from images, measured on other images of it."""
