"""The program `onearm`."""
