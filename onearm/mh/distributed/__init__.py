"""AdaBoost.MH on rows in blocks: the same rounds, bit-identical, on actors of a Ray cluster."""
