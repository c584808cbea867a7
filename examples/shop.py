"""A shop shows each visitor one of four offers and learns which visitors like which.

Only the offer that was shown is accepted or declined, and the answer comes after other visitors
have been served: the choice is stored with the visit until then. The model is saved and loaded in
between, as when the program restarts.
"""

import numpy as np

import onearm

OFFERS = ("coffee", "tea", "cake", "newspaper")
rng = np.random.default_rng(0)

# Visitors: hour of the day, age, whether they came by bike, and how often they came before.
visitors = np.column_stack(
    [
        rng.uniform(7, 19, 6000),
        rng.uniform(16, 80, 6000),
        rng.random(6000) < 0.3,
        rng.poisson(3, 6000),
    ]
)
hour, age = visitors[:, 0], visitors[:, 1]
likes = np.where(hour < 10, np.where(age < 50, 0, 3), np.where(hour < 15, 2, 1))

learner = onearm.Chorus(n_classes=len(OFFERS), n_features=4)
waiting = []  # visits whose answer has not come yet
accepted = []

for visit, x in enumerate(visitors):
    choice = learner.choose(x)  # label, greedy label, propensity
    waiting.append((x, choice, choice.label == likes[visit]))
    if len(waiting) == 50:  # some answer comes, not necessarily the oldest one
        x, choice, answer = waiting.pop(rng.integers(50))
        learner.update(x, choice, answer)
        accepted.append(answer)
    if visit == 3000:
        learner.save("shop.safetensors")
        learner = onearm.load("shop.safetensors")  # continues exactly where it stopped

print("accepted offers, by thousand answers (0.25 at random):")
for first in range(0, 5000, 1000):
    print(f"  {first:5,} to {first + 1000:5,}: {np.mean(accepted[first : first + 1000]):.2f}")
cyclist = np.array([8.5, 30, 1, 0])
print(f"a cyclist of 30 years at half past eight is offered {OFFERS[learner.predict(cyclist)]}")
