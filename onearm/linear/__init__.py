"""Linear learners: one weight per feature and class, and what the papers do with them."""
