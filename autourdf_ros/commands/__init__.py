"""The subcommands of `autourdf`: one module each, with `HELP`, `add_arguments` and `run`."""
