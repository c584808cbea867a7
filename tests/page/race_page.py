"""A synthetic race for the tests of the page: no learner runs, all numbers are invented."""

import numpy as np

BANDITS = [
    "Banditron",
    "SOBA",
    "Newtron",
    "ConservativeOVA",
    "OffsetTree",
    "Confidit",
    "Gaptron",
    "RDUE",
    "SLB",
    "InverseGap",
    "EpsilonGreedy",
    "LinUCB",
    "LinTS",
    "Bag",
    "AdaBandit",
    "BanditBBM",
    "BinBandit",
    "Exp4",
    "Thompson",
    "UCB",
]
FULL = ["Perceptron", "AdaBoostOLM"]


def interval(mean, half, runs):
    alone = runs == 1
    return {
        "mean": mean,
        "low": None if alone else mean - half,
        "high": None if alone else mean + half,
    }


def learner(i, name, *, full, rounds, runs, points, rng):
    end = (0.05 if full else 0.08) + 0.45 * rng.random() ** 1.5
    t = np.unique(np.geomspace(1, rounds, points).round())
    noise = 1 + 0.03 * np.cumsum(rng.normal(size=len(t))) / np.sqrt(1 + np.arange(len(t)))
    mean = np.clip(end + (0.95 - end) / (1 + (t / (30 + 60 * i)) ** 0.8), 0, 1) * np.clip(
        noise, 0, 1
    )
    half = 0.6 * np.sqrt(mean * (1 - mean) / t) + 0.004
    gamma = [0.01, 0.02, 0.05][i % 3]
    error = float(mean[-1])
    return {
        "label": name if full else f"{name} γ={gamma}",
        "name": name,
        "full_information": full,
        "parameters": {"gamma": gamma, "weight_scale": "unit", "seed": 0},
        "tuned": None if full else "gamma chosen on the first 2000 rounds",
        "runs": runs,
        "error": interval(error, 0.004, runs),
        "last_tenth": interval(error * 0.93, 0.006, runs),
        "area": interval(error * 1.2, 0.005, runs),
        "difference": interval(error, 0.003, runs),
        "rounds_per_second": float(10 ** rng.uniform(3.2, 6.3)),
        "seconds": 0.8,
        "bytes": int(10 ** rng.uniform(3, 6.5)),
        "curve": {
            "rounds": t.astype(int).tolist(),
            "mean": mean.tolist(),
            "low": (mean - half).tolist() if runs > 1 else None,
            "high": (mean + half).tolist() if runs > 1 else None,
        },
    }


def baseline(label, error, rounds):
    curve = {"rounds": rounds, "mean": [error] * len(rounds), "low": None, "high": None}
    return {"label": label, "curve": curve}


def stream(name, n, *, rounds=20000, runs=10, points=200, seed=0):
    rng = np.random.default_rng(seed)
    names = [FULL[0], *BANDITS[: n - 2], FULL[1]] if n > 2 else BANDITS[:n]
    learners = [
        learner(i, x, full=x in FULL, rounds=rounds, runs=runs, points=points, rng=rng)
        for i, x in enumerate(names)
    ]
    best = min(learners, key=lambda x: x["error"]["mean"])
    for x in learners:
        x["difference"]["mean"] -= best["error"]["mean"]
        if runs > 1:
            x["difference"]["low"] -= best["error"]["mean"]
            x["difference"]["high"] -= best["error"]["mean"]
    best["difference"] = None
    bandits = [x for x in learners if not x["full_information"]]
    for x in learners:
        x["best"] = x is min(bandits, key=lambda x: x["error"]["mean"])
    sweeps = [
        {
            "name": x["name"],
            "parameter": "gamma",
            "points": [
                {"value": g}
                | interval(x["error"]["mean"] + 0.1 * np.log10(g / best_g) ** 2, 0.01, runs)
                for g in (0.001, 0.003, 0.01, 0.03, 0.1, 0.3)
            ],
        }
        for x, best_g in zip(learners[1:4], (0.01, 0.03, 0.02), strict=False)
    ]
    return {
        "name": name,
        "rounds": rounds,
        "n_classes": 26,
        "n_features": 16,
        "about": "Letter recognition: 20 000 letters in 20 fonts, distorted. D. Slate, 1991, "
        "UCI Machine Learning Repository, CC BY 4.0.",
        "repeats": runs,
        "learners": learners,
        "baselines": [
            baseline("uniform guessing", 25 / 26, learners[0]["curve"]["rounds"]),
            baseline("majority", 0.9, learners[0]["curve"]["rounds"]),
        ],
        "exploration": sweeps,
    }


def race(n=12, runs=10):
    return {
        "title": "Twelve learners on two streams",
        "date": "2026-11-16T16:00:00+00:00",
        "command": "onearm race letter SynNonSep --repeats 10",
        "toml": 'streams = ["letter", "SynNonSep"]\nrepeats = 10\n\n'
        + "\n".join(f'[[learner]]\nname = "{x}"\ngamma = 0.02\n' for x in BANDITS[:n]),
        "versions": {"onearm": "0.1.0", "python": "3.11.7", "numpy": "2.1.3", "numba": "0.61.0"},
        "machines": ["AMD EPYC, 2 cores, Python 3.11.7"],
        "notes": [
            "Rows are scaled to norm 1.",
            "Speeds are of single runs, one after the other, compiled kernels warm.",
        ],
        "streams": [
            stream("letter", n, runs=runs),
            stream("SynNonSep", n, rounds=100000, runs=runs, seed=1),
        ],
    }
