"""Speed and memory of the boosters."""
