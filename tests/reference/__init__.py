"""Plain reference implementations, written from the papers, that the library must equal."""
