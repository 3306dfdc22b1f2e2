"""What was seen: evidence, the probes that look, the readers that read."""
