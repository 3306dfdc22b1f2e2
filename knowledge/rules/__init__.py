"""What `kb lint` proves, one file a subject."""
