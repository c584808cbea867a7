"""Learners by name: one of ours, `mine.py:MyLearner` of a file, `package.module:Class` of a module.

A file is run once for each text that it has. Workers get its code with its learners, and that of
modules that it imports from its own folder.
"""

import importlib
import sys
from functools import cache
from importlib.util import module_from_spec, spec_from_file_location
from pathlib import Path
from types import ModuleType
from typing import Any

import cloudpickle

import onearm
from onearm.experiments.job import hash_text
from onearm.schema.names import did_you_mean


def require_name(name: str) -> str:
    """Return a learner's name in its own spelling; one of a file or module as it is.

    >>> require_name("soba"), require_name("mine.py:MyLearner")
    ('SOBA', 'mine.py:MyLearner')
    """
    if ":" in name:
        return name.strip()
    known = {learner.lower(): learner for learner in onearm.LEARNERS}
    if name.strip().lower() not in known:
        likely = did_you_mean(name, onearm.LEARNERS)
        file = "your own as file.py:Class"
        names = f"{', '.join(onearm.LEARNERS)}, or {file}"
        raise ValueError(f"learners must be among {names}, got {name!r}{likely}")
    return known[name.strip().lower()]


def find(name: str) -> Any:
    """Return the learner of a name that `require_name` returned: a class, function or object."""
    if ":" not in name:
        return getattr(onearm, name)
    place, _, wanted = name.rpartition(":")
    if not place:
        raise ValueError(f"learners of a file are given as file.py:Class, got {name!r}")
    if place.endswith(".py") or "/" in place:
        module = _of_file(Path(place))
    else:
        module = _of_package(place)
    if not wanted or not hasattr(module, wanted):
        names = [key for key, value in vars(module).items() if _is_defined_in(key, value, module)]
        listed = ", ".join(names[:20]) or "no class or function"
        likely = did_you_mean(wanted, names)
        raise ValueError(f"{place} has no learner {wanted!r}; it has {listed}{likely}")
    return getattr(module, wanted)


def _is_defined_in(key: str, value: Any, module: ModuleType) -> bool:
    defined = getattr(value, "__module__", None) == module.__name__ and hasattr(value, "__name__")
    return not key.startswith("_") and (defined or key in getattr(module, "__all__", ()))


def _of_package(place: str) -> ModuleType:
    try:
        return importlib.import_module(place)
    except ModuleNotFoundError as error:
        file = f"{place}.py"
        likely = f" (did you mean {file!r}?)" if Path(file).is_file() else ""
        raise ValueError(f"there is no module {error.name!r} for {place!r}{likely}") from error


def _of_file(path: Path) -> ModuleType:
    if not path.is_file():
        beside = path.parent.glob("*.py") if path.parent.is_dir() else ()
        likely = did_you_mean(str(path), map(str, beside))
        raise ValueError(f"there is no file {str(path)!r}{likely}")
    return _run(path.resolve(), path.read_bytes())


@cache
def _run(path: Path, text: bytes) -> ModuleType:
    """Return the module of a file, run under a name that hides no other module."""
    name = f"onearm_file_{path.stem}_{hash_text(str(path))}"
    spec = spec_from_file_location(name, path)
    if spec is None or spec.loader is None:
        raise ValueError(f"{path.name} must be a file of Python (.py)")
    module, before = module_from_spec(spec), set(sys.modules)
    sys.modules[name] = module
    sys.path.insert(0, str(path.parent))
    try:
        spec.loader.exec_module(module)
    except (Exception, SystemExit) as error:
        del sys.modules[name]
        raise ValueError(f"{path.name} raised {type(error).__name__}: {error}") from error
    finally:
        sys.path.remove(str(path.parent))
    for new in [name, *(set(sys.modules) - before)]:
        file = getattr(sys.modules.get(new), "__file__", None)
        if file and path.parent in Path(file).parents:
            cloudpickle.register_pickle_by_value(sys.modules[new])
    return module
