"""Write a recording while it is captured."""
