"""Find how far a joint moves before the parts that it moves collide with the rest."""
