"""Two hosts on one machine, and the link between them."""
