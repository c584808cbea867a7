"""Speed of the learners beside Vowpal Wabbit, River and plain C."""
