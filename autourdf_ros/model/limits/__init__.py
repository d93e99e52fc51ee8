"""How far, how fast and how hard joints may move."""
