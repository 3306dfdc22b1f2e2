"""From a timeline to ranked causes: causal graph, hypotheses, confidence."""
