"""MOA's Hoeffding tree through CapyMOA, in all ways in which it can be run."""

from collections.abc import Callable
from typing import Any

import numpy as np

from bench.trees.data import Table

WAYS = {
    "MOA, loop in Java": "`EfficientEvaluationLoops.PrequentialEvaluation` without evaluators, "
    "predictions stored, rows in Java's memory",
    "MOA, all cores": "the same, free to use every core",
    "MOA, CapyMOA's function": "`prequential_evaluation`, the same loop with two evaluators",
    "MOA, from Python": "`predict`, `train` on instances made before, first rows only",
}
LOOP, FREE, FUNCTION, CALLS = WAYS
CALLED = 20_000  # rows, where each takes calls from Python

Entry = tuple[Callable[[], Any], Callable[[Any], Any]]  # makes a learner; plays the stream with it


def tree(data: Table, way: str, **settings: float) -> Entry:
    """Return how MOA's tree is made and plays the stream; importing CapyMOA starts the JVM."""
    import capymoa.stream
    from capymoa.classifier import HoeffdingTree
    from capymoa.core import LabeledInstance
    from capymoa.evaluation import prequential_evaluation
    from com.yahoo.labs.samoa.instances import DenseInstance, Instances
    from jpype import JArray, JDouble
    from moa.evaluation import EfficientEvaluationLoops
    from moa.streams import CachedInstancesStream

    sizes = {**dict(zip(data.columns, data.nominal, strict=True)), "label": data.k}
    values = {name: [str(v) for v in range(m)] for name, m in sizes.items() if m}
    schema = capymoa.stream.Schema.from_custom(list(sizes), "label", values, data.name)
    rows = Instances(schema.get_moa_header(), len(data.y))
    for row in np.column_stack([data.X, data.y]):
        instance = DenseInstance(1.0, JArray(JDouble)(row))
        instance.setDataset(schema.get_moa_header())
        rows.add(instance)
    stream = object.__new__(capymoa.stream.MOAStream)  # __init__ wants a stream with options
    stream.schema, stream.moa_stream = schema, CachedInstancesStream(rows)

    def fresh() -> Any:
        stream.restart()
        # Defaults of MOA; those of CapyMOA's class are others.
        defaults = {"stop_mem_management": False, "disable_prepruning": False}
        return HoeffdingTree(schema, **settings, **defaults)

    def calls(model: Any) -> list[int | None]:
        labels = []
        for instance in instances:
            labels.append(model.predict(instance))
            model.train(instance)
        return labels

    def loop(model: Any) -> Any:
        run = EfficientEvaluationLoops.PrequentialEvaluation
        return run(stream.moa_stream, model.moa_learner, None, None, -1, 1000, False, True)

    if way == CALLS:
        java = [stream.moa_stream.nextInstance() for _ in range(min(CALLED, len(data.y)))]
        instances = [LabeledInstance.from_java_instance(schema, row) for row in java]
        return fresh, calls
    return fresh, (lambda model: prequential_evaluation(stream, model)) if way == FUNCTION else loop


def java() -> str:
    from java.lang import System
    from java.lang.management import ManagementFactory

    collectors = ManagementFactory.getGarbageCollectorMXBeans()
    names = " and ".join(str(collector.getName()) for collector in collectors)
    return f"Java {System.getProperty('java.version')}, garbage collector {names}"
