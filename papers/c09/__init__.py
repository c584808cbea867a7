"""G. Chen et al. Beyond Banditron: a conservative and efficient reduction. ICDM 2009."""
