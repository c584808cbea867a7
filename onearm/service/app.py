"""The settings of a service, read from a TOML file; whatever is wrong is named.

name = "news"                           # of the app: its routes begin with /v1/news/
labels = ["sports", "politics", "tech"]
feedback = "reward"                     # or "one_right"
apprentice = false                      # true: a baseline decides, and the learner learns from it
wait = "15m"                            # after which an event without feedback gets
default_reward = 0.0                    # this one

[schema]                                # columns of the contexts
age = "number"
device = ["phone", "desktop"]

[learner]                               # the champion, with its parameters
name = "Chorus"

[challengers.linear]                    # a policy that learns in the champion's shadow
name = "InverseGap"

[promotion]
rule = "never"                          # or "difference": when a challenger is better beyond doubt,
level = 0.95                            # at this level

[tokens.shop]                           # made by `onearm token shop`
sha256 = "..."
scopes = ["decide", "feedback"]

[server]
host = "127.0.0.1"
port = 8080
file = "news.db"
"""

import re
import tomllib
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from onearm.agent.feedback import FEEDBACK
from onearm.schema.schema import Schema
from onearm.schema.values import shown
from onearm.service.auth import SCOPES, Token
from onearm.service.models import new_agent
from onearm.service.toml_values import as_name, as_table, one_of, require_keys, whole

SHA256 = re.compile(r"[0-9a-f]{64}")
UNITS = {"s": 1.0, "m": 60.0, "h": 3600.0, "d": 86400.0}
LONGEST = 3650 * UNITS["d"]  # seconds to wait
RULES = ("never", "difference")
LEVEL = 0.95  # of the confidence sequence that a promotion needs
KEYS = (
    "name", "labels", "schema", "feedback", "seed", "wait", "default_reward", "learner",
    "apprentice", "challengers", "promotion", "tokens", "server",
)  # fmt: skip
LOOPBACK = ("127.0.0.1", "localhost", "::1")


@dataclass(frozen=True)
class Server:
    """Where a service listens and what it stores and takes."""

    host: str = "127.0.0.1"
    port: int = 8080
    file: str = "app.db"  # of the log, beside the settings
    body: int = 2**20  # bytes of a request
    headers: int = 2**14  # bytes of its headers
    queue: int = 4096  # requests that wait for their commit


@dataclass(frozen=True)
class App:
    """A service as its file describes it."""

    name: str
    settings: dict[str, Any]  # what `Core` takes
    server: Server = field(default_factory=Server)
    tokens: tuple[Token, ...] = ()


def read(path: str | Path) -> App:
    """Return the settings in a file; a ValueError says which of them is wrong, and why."""
    path = Path(path)
    try:
        text = path.read_text(encoding="utf-8-sig")  # some editors put a mark before it
        content = tomllib.loads(text)
        return parse(content, path.resolve().parent)
    except ValueError as error:  # of TOML, too
        raise ValueError(f"{path}: {error}") from None


def parse(content: dict[str, Any], folder: Path) -> App:
    """Return an app of a dict of settings; a relative `file` lies in the folder."""
    require_keys("", content, KEYS, ("name", "labels", "schema", "learner"))
    name = as_name("name", content["name"])
    settings = _settings(content)
    tokens = tuple(_token(*pair) for pair in as_table(content, "tokens").items())
    server = _server(as_table(content, "server"), name, folder)
    if server.host not in LOOPBACK and not tokens:
        allowed = f"one of {', '.join(LOOPBACK)} as long as there are no [tokens]"
        raise ValueError(f"server.host must be {allowed}, got {server.host!r}")
    return App(name, settings, server, tokens)


def _settings(content: dict[str, Any]) -> dict[str, Any]:
    """Return the dict that `Core` takes."""
    feedback = one_of("feedback", content.get("feedback", "reward"), FEEDBACK)
    learners = {"learner": dict(as_table(content, "learner"))}
    champion = learners["learner"].pop("policy", None)
    if champion is None:
        champion = str(learners["learner"].get("name", "")).lower()
    champion = as_name("learner.policy", champion) if champion else "champion"
    for name, learner in as_table(content, "challengers").items():
        learners[f"challengers.{as_name('challengers', name)}"] = learner
    names = [champion, *(key.partition(".")[2] for key in learners if key != "learner")]
    if names.count(champion) > 1:
        raise ValueError(f"challengers must have other names than the champion, got {champion!r}")
    settings = {
        "labels": _labels(content["labels"]), "schema": _schema(as_table(content, "schema")),
        "feedback": feedback, "seed": whole("seed", content.get("seed", 0), 0, 2**62 - 1),
        "wait": seconds("wait", content.get("wait", "1h")),
        "default_reward": _default_reward(content.get("default_reward", 0.0), feedback),
        "apprentice": _flag("apprentice", content.get("apprentice", False)),
        "promotion": _promotion(as_table(content, "promotion")), "champion": champion,
        "policies": dict(zip(names, learners.values(), strict=True)),
    }  # fmt: skip
    for key, learner in learners.items():
        _require_learner(key, learner, settings)
    return settings


def _require_learner(key: str, learner: Any, settings: dict[str, Any]) -> None:
    """Refuse learners that cannot be made, and challengers that cannot learn in a shadow."""
    if not isinstance(learner, dict) or not isinstance(learner.get("name"), str):
        raise ValueError(f"{key}.name must be the class name of a learner, got {shown(learner)}")
    for given in ("seed", "feedback", "schema", "labels", "learner"):
        if given in learner:
            raise ValueError(f"{key} must not have {given}: it is the same for all policies")
    try:
        agent = new_agent(settings, learner)
    except (ValueError, TypeError) as error:
        raise ValueError(f"{key}: {error}") from None
    if agent.learner.off_policy:
        return
    wrong = f"must learn from choices of other policies, and {learner['name']} cannot"
    if key != "learner":
        raise ValueError(f"{key}: a challenger {wrong}")
    if settings["apprentice"]:
        raise ValueError(f"apprentice: a learner of a baseline's choices {wrong}")
    if settings["promotion"]["rule"] != "never":  # it would be tried for ever
        raise ValueError(f"promotion.rule: whoever another policy is promoted over {wrong}")


def seconds(key: str, value: Any) -> float:
    """Return a time in seconds, given so or as "15m", "1h" or "2d".

    >>> seconds("wait", "15m")
    900.0
    """
    number: Any = value
    if isinstance(value, str):
        match = re.fullmatch(r"\s*(\d+(?:\.\d+)?)\s*([smhd])\s*", value)
        number = float(match[1]) * UNITS[match[2]] if match else None
    if isinstance(number, bool) or not isinstance(number, int | float) or not 0 < number <= LONGEST:
        allowed = 'seconds above 0, or a text as "90s", "15m", "1h" or "2d", of at most 10 years'
        raise ValueError(f"{key} must be {allowed}, got {shown(value)}")
    return float(number)


def _schema(columns: dict[str, Any]) -> str:
    try:
        if not columns:
            raise ValueError("there must be at least one column")
        return Schema(columns).to_json()
    except ValueError as error:
        raise ValueError(f"schema: {error}") from None


def _labels(labels: Any) -> list[Any]:
    from onearm.agent.labels import as_names

    if not isinstance(labels, list):
        raise ValueError(f"labels must be a list of names, got {shown(labels)}")
    return list(as_names(labels))


def _flag(key: str, value: Any) -> bool:
    if not isinstance(value, bool):
        raise ValueError(f"{key} must be true or false, got {shown(value)}")
    return value


def _default_reward(value: Any, feedback: str) -> float:
    from onearm.agent.feedback import as_outcome

    try:
        return float(as_outcome(feedback, value))
    except ValueError as error:
        raise ValueError(f"default_{error}") from None


def _promotion(table: dict[str, Any]) -> dict[str, Any]:
    require_keys("promotion.", table, ("rule", "level"))
    level = table.get("level", LEVEL)
    if type(level) is not float or not 0.5 <= level < 1:
        raise ValueError(f"promotion.level must be a number in [0.5, 1), got {shown(level)}")
    return {"rule": one_of("promotion.rule", table.get("rule", "never"), RULES), "level": level}


def _token(name: str, table: Any) -> Token:
    key = f"tokens.{as_name('tokens', name)}"
    if not isinstance(table, dict):
        raise ValueError(f"{key} must be a table with sha256 and scopes, got {shown(table)}")
    require_keys(f"{key}.", table, ("sha256", "scopes"), ("sha256", "scopes"))
    if not isinstance(table["sha256"], str) or not SHA256.fullmatch(table["sha256"]):
        allowed = "64 hexadecimal digits, as `onearm token` prints"
        raise ValueError(f"{key}.sha256 must be {allowed}, got {shown(table['sha256'])}")
    scopes = table["scopes"]
    if not isinstance(scopes, list) or not scopes:
        allowed = f"a list of some of {', '.join(SCOPES)}"
        raise ValueError(f"{key}.scopes must be {allowed}, got {shown(scopes)}")
    chosen = frozenset(one_of(f"{key}.scopes", scope, SCOPES) for scope in scopes)
    return Token(name, bytes.fromhex(table["sha256"]), chosen)


def _server(table: dict[str, Any], app: str, folder: Path) -> Server:
    require_keys("server.", table, [*Server.__dataclass_fields__])
    limits = {
        "port": (0, 65535), "body": (2**10, 2**26), "headers": (2**10, 2**20), "queue": (1, 2**20)
    }  # fmt: skip
    for key, (least, most) in limits.items():
        if key in table:
            whole(f"server.{key}", table[key], least, most)
    for key in ("host", "file"):
        text = table.get(key, "text")
        if not isinstance(text, str) or not text or not text.isprintable():
            raise ValueError(f"server.{key} must be a text that can be printed, got {shown(text)}")
    file = folder / table.get("file", f"{app}.db")
    if not file.parent.is_dir():
        raise ValueError(f"server.file must lie in a folder that exists, got {str(file)!r}")
    return Server(**{**table, "file": str(file)})
