"""AdaBoostMH beside other boosters and forests, and its speed."""
