"""The screw of one joint, searched by outlines of images in which it moves."""
