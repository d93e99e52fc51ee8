"""A tool that balances on a small disc: where it is set, and what happens then."""
