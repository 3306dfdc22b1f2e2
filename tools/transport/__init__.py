"""Three ways to reach a node: local, ssh, agent."""
