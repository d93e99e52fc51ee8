"""What follows from a video: its digest, its static background, and depth images as files."""
