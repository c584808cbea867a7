"""From a log to a decision: would other policies have earned more than the one that wrote it?

A learner recommends nursery places and logs what it chose, with which probabilities, and whether it
was right. Then others are judged on the same events, without choosing anything themselves.
"""

from pathlib import Path

import numpy as np

import onearm

stream = onearm.datasets.load("nursery").shuffled(0).first(6000)
X, y = stream.arrays()
learner = stream.learner(onearm.EpsilonGreedy, epsilon=0.2)
labels, chances = [], []
for x, right in zip(X, y, strict=True):
    chances.append(learner.chances(x))  # of every label, before it chooses
    choice = learner.choose(x)
    learner.update(x, choice, choice.label == right)
    labels.append(choice.label)

p, chosen = np.array(chances), np.array(labels)
log = onearm.Log.of(
    X, chosen, p[np.arange(len(y)), chosen], chosen == y, chances=p, schema=stream.schema,
    feedback="one_right", name="nursery",
)  # fmt: skip


def by_health(rows):
    """Return a label for each row, by the last column alone."""
    return np.array([1, 3, 0])[rows[:, 7].astype(int)]


result = onearm.evaluate(log, ["inversegap", "soba", by_health, "always not_recom"], by="health")
print(result)
page = result.write("evaluation", f"python examples/{Path(__file__).name}")[0]
print(f"page: {page}")
