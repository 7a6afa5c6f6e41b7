"""What privacy is: dominating pairs, RDP curves, and the conversions between them."""
