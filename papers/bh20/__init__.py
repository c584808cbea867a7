"""N. Brukhim, E. Hazan. Online boosting with bandit feedback. ALT 2021."""
