"""What we make of it: from a report to a cited cause."""
