"""Which learner has the lowest error on your own data? Race them on a CSV file.

A column of the file is the label. The race plays every row under bandit feedback: a learner chooses
a label and gets right or wrong as feedback. Results are a table, and a page with curves.
"""

import csv
from pathlib import Path

import numpy as np

import onearm

# Your data would be here already. These are support tickets that belong to one of three teams.
rng = np.random.default_rng(0)
with Path("tickets.csv").open("w", newline="") as file:
    table = csv.writer(file)
    table.writerow(["words", "attachments", "product", "team"])
    for _ in range(3000):
        words, attachments = int(rng.gamma(2, 60)), int(rng.poisson(0.7))
        product = rng.choice(["phone", "tablet", "watch"])
        team = (
            "sales" if words < 60 else "repair" if attachments or product == "watch" else "advice"
        )
        table.writerow([words, attachments, product, team])

learners = ["Chorus", "HoeffdingTree", "SOBA", "Banditron"]
results = onearm.race({"file": "tickets.csv", "label": "team"}, learners, repeats=3, out="race")

print("error over all rounds, mean of 3 repeats")
for score in results.scores():
    note = "  (full information)" if score.full_information else ""
    print(f"  {score.name:14} {score.error.mean:.3f}{note}")
page, *_ = results.write("race")
print(f"curves: {page}")
