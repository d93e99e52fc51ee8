"""What a mechanism will do: states ahead, with a band of what is not known."""
