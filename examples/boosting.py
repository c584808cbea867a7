"""AdaBoost.MH beside two ensembles of scikit-learn, on a data set that comes with onearm.

AdaBoostMH is a scikit-learn classifier. A bandit decides which column each round searches, so that
a round costs as much as one column and not as all of them.
"""

from time import perf_counter

import numpy as np
from sklearn.ensemble import AdaBoostClassifier, RandomForestClassifier

import onearm

X, y = onearm.datasets.load("digits").arrays()  # 1,797 images of 8 × 8 pixels
order = np.random.default_rng(0).permutation(len(X))
train, test = order[:1200], order[1200:]

models = {
    "AdaBoostMH, stumps": onearm.AdaBoostMH("stump", n_rounds=2000, random_state=0),
    "AdaBoostMH, products": onearm.AdaBoostMH("product", n_rounds=1000, random_state=0),
    "AdaBoostClassifier": AdaBoostClassifier(n_estimators=200, random_state=0),
    "RandomForestClassifier": RandomForestClassifier(n_estimators=200, random_state=0),
}
models["AdaBoostMH, products"].fit(X[:50], y[:50])  # compiles the kernels, once

print(f"{'model':22} {'test error':>10} {'seconds':>8}")
for name, model in models.items():
    start = perf_counter()
    model.fit(X[train], y[train])
    seconds = perf_counter() - start
    print(f"{name:22} {1 - model.score(X[test], y[test]):10.3f} {seconds:8.2f}")

importance = models["AdaBoostMH, stumps"].feature_importances_
print(f"most useful pixels (row, column): {[divmod(int(j), 8) for j in importance.argsort()[-3:]]}")
