"""What a video shows of bodies whose shapes nobody gave: points that move, and shapes of parts."""
