"""The decision service: an agent behind a product, that loses nothing it has acknowledged."""
