"""How Firstfault talks: command line, rendering, configuration."""
