"""Tree and joints of a robot from its outlines in images, and from the positions of its motors."""
