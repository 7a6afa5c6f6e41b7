"""What was run: one frozen value per mechanism, with the views it has, and plans of them."""
