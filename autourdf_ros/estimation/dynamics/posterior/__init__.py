"""What is known of a mechanism's parameters afterwards: posterior, identifiability, doubts."""
