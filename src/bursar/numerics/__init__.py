"""Numbers that can be trusted: ball arithmetic, contours, directed rounding, safe search."""
