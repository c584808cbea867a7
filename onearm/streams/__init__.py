"""Examples: streams of (X, y) in chunks, made, drifting, or the user's own."""
