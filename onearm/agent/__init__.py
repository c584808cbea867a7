"""The front door to a learner: dicts, label names, rewards, labels that come and go."""
