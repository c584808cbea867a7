"""A. Beygelzimer, F. Orabona, C. Zhang. Efficient online bandit multiclass learning. ICML 2017."""
