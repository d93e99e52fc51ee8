"""What goes wrong while a real camera records a mechanism."""
