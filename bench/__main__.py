"""Benchmarks: ours beside what one would use instead. `python -m bench NAME --help` has options."""

import argparse
import sys
from collections.abc import Sequence
from importlib import import_module

BENCHMARKS = {  # by name: the module with its `main`, and what it measures
    "speed": ("speed.command", "learners beside Vowpal Wabbit, River and plain C"),
    "trees": ("trees.contest", "Hoeffding trees beside those of MOA and River"),
    "boosters": ("boosting.boosters", "speed, growth and memory of the boosters"),
    "potentials": ("boosting.potentials", "speed of BanditBBM by numbers of learners and classes"),
    "chorus": ("chorus.comparison", "Chorus beside every other learner, tuned: plays what lacks"),
    "chorus.table": ("chorus.table", "the runs of `chorus` as tables"),
    "chorus.parts": ("chorus.parts", "Chorus without each of its parts"),
    "preparation": ("preparation", "errors of linear learners by the preparation of rows"),
    "chorus.values": ("chorus.values", "Chorus with a category of many values"),
    "chorus.trials": ("chorus.trials", "Chorus with other constants, on the same orders"),
    "chorus.rewards": ("chorus.rewards", "Chorus beside other learners from rewards"),
    "chorus.floor": ("chorus.floor", "what a floor on the chance of every label costs Chorus"),
    "chorus.spread": ("chorus.spread", "mass beyond a floor for labels that are close"),
    "chorus.budget": ("chorus.budget", "error, speed and size of Chorus by its components"),
    "defaults": ("defaults", "errors by the values of the main parameters"),
    "mh.peers": ("mh.peers", "AdaBoostMH beside boosted trees and forests, error against time"),
    "mh.bakeoff": ("mh.bakeoff", "AdaBoostMH beside its peers at equal CPU time, on many sets"),
    "mh.trials": ("mh.trials", "AdaBoostMH with other defaults, on the development half"),
    "mh.size": ("mh.size", "memory of AdaBoostMH on many rows, and its time on wide ones"),
    "mh.speed": ("mh.speed", "speed of AdaBoostMH"),
    "regression.speed": ("regression.speed", "speed of boosting for regression"),
    "regression.pricing": ("regression.pricing", "prices from noisy profits"),
    "regression.scale": ("regression.scale", "regressors on rows and targets of any scale"),
    "schema": ("schema", "frames and dicts to rows, beside scikit-learn and River"),
    "agent": ("agent", "choose and update of an agent, by dict"),
    "ope": ("ope.contest", "off-policy evaluation beside vw-estimators, pybandits and VW"),
    "serve": ("serve.command", "the service under load, beside a Vowpal Wabbit daemon"),
    "race": ("race", "what a race adds to the time of its learners"),
    "bakeoff": ("bakeoff.command", "every learner and Vowpal Wabbit on sixty sets"),
    "bakeoff.trial": ("bakeoff.trial", "a learner on the development half, beside ExtraTrees"),
    "walks": ("walks", "files and functions that calls pass, and times of imports"),
}


def main(arguments: Sequence[str]) -> int:
    """Run the benchmark that the first argument names, with the others as its options."""
    lines = [f"  {name:20}{what}" for name, (_, what) in BENCHMARKS.items()]
    parser = argparse.ArgumentParser(
        prog="python -m bench",
        description=f"{__doc__}\n\n" + "\n".join(lines),
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    parser.add_argument("name", choices=BENCHMARKS, metavar="NAME", help="of those above")
    name = parser.parse_args(arguments[:1]).name
    return import_module(f"bench.{BENCHMARKS[name][0]}").main(arguments[1:])


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
