"""What is known: conditions as pages, and how to recognise them."""
