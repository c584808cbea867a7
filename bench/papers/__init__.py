"""Published tables and figures, run again: ours beside the papers' numbers."""
