"""A data set that a test lets be known by name."""

import hashlib

from onearm.streams import datasets


def known(monkeypatch, name, content, **more):
    """Let a data set of one file be known."""
    sha256 = hashlib.sha256(content).hexdigest()
    facts = {"rows": 4, "features": 2, "classes": 2, "about": "", "licence": "", "citation": ""}
    files = [{"name": f"{name}.csv.xz", "sha256": sha256}]
    data = datasets.DataSet(name, **{"files": files, **facts, **more})
    monkeypatch.setattr(datasets, "_catalogue", lambda: {name: data})
    return data
