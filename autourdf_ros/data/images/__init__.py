"""Images of a robot: cameras, files, and folders of images with joint positions."""
