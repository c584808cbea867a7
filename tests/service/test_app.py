"""Settings of a service: what a file says, and that every mistake in it is named."""

import copy
import re

import pytest

from onearm.service.app import parse, read, seconds
from onearm.service.auth import new_token

TOML = """
name = "news"
labels = ["sports", "tech"]
wait = "15m"
default_reward = 0.5
seed = 7

[schema]
age = "number"
device = ["phone", "desktop"]

[learner]
name = "InverseGap"
scale = 20.0

[challengers.greedy]
name = "EpsilonGreedy"

[promotion]
rule = "difference"
level = 0.99

[tokens.shop]
sha256 = "{sha256}"
scopes = ["decide", "feedback"]

[server]
host = "0.0.0.0"
port = 9000
file = "log.db"
"""
PLAIN = {
    "name": "news", "labels": ["a", "b"], "schema": {"age": "number"},
    "learner": {"name": "InverseGap"},
}  # fmt: skip


def test_a_file_becomes_settings(tmp_path):
    path, sha256 = tmp_path / "app.toml", new_token()[1]
    path.write_text(TOML.replace("{sha256}", sha256))
    app = read(path)
    settings = app.settings
    assert app.name == "news"
    assert (settings["labels"], settings["wait"], settings["seed"]) == (["sports", "tech"], 900, 7)
    assert settings["policies"] == {
        "inversegap": {"name": "InverseGap", "scale": 20.0}, "greedy": {"name": "EpsilonGreedy"}
    }  # fmt: skip
    assert settings["champion"] == "inversegap"
    assert settings["promotion"] == {"rule": "difference", "level": 0.99}
    assert settings["default_reward"] == 0.5
    assert (app.server.host, app.server.port) == ("0.0.0.0", 9000)
    assert app.server.file == str(tmp_path / "log.db")
    assert app.tokens[0].scopes == {"decide", "feedback"}


def test_a_mark_at_the_begin_of_a_file_is_no_part_of_it(tmp_path):
    path = tmp_path / "app.toml"
    path.write_text(TOML.replace("{sha256}", new_token()[1]), encoding="utf-8-sig")
    assert read(path).name == "news"


def test_defaults(tmp_path):
    app = parse(copy.deepcopy(PLAIN), tmp_path)
    assert (app.server.host, app.server.port, app.tokens) == ("127.0.0.1", 8080, ())
    assert app.server.file == str(tmp_path / "news.db")
    assert app.settings["feedback"] == "reward"
    assert app.settings["wait"] == 3600.0
    assert app.settings["promotion"] == {"rule": "never", "level": 0.95}


def test_a_policy_may_have_a_name_of_its_own(tmp_path):
    content = PLAIN | {"learner": {"name": "InverseGap", "policy": "second"}}
    assert parse(content, tmp_path).settings["policies"] == {"second": {"name": "InverseGap"}}


@pytest.mark.parametrize(
    ("value", "number"), [(30, 30.0), (0.5, 0.5), ("90s", 90.0), ("15m", 900.0), ("1h", 3600.0),
                          ("2d", 172800.0), ("1.5h", 5400.0)]
)  # fmt: skip
def test_times(value, number):
    assert seconds("wait", value) == number


TABLE = {"sha256": "0" * 64, "scopes": ["decide"]}
NEVER_PROMOTED = {
    "feedback": "one_right", "learner": {"name": "ConservativeOVA"},
    "promotion": {"rule": "difference"},
}  # fmt: skip


@pytest.mark.parametrize(
    ("changes", "words"),
    [
        ({"nmae": "x"}, "nmae is unknown"),
        ({"nmae": "x"}, "did you mean 'name'"),
        ({"name": None}, "name must be"),
        ({"name": "a/b"}, "name must be 1 to 40 letters, digits, - and _, got 'a/b'"),
        ({"name": "../x"}, "name must be"),
        ({"labels": "ab"}, "labels must be a list"),
        ({"labels": ["a"]}, "at least two"),
        ({"labels": ["a", "a"]}, "different"),
        ({"schema": {}}, "at least one column"),
        ({"schema": {"age": "nubmer"}}, "column 'age' must be"),
        ({"schema": 3}, "schema must be a table"),
        ({"feedback": "rewards"}, "did you mean 'reward'"),
        ({"seed": -1}, "seed must be an integer in [0,"),
        ({"seed": 1.5}, "seed must be an integer"),
        ({"wait": "15 minutes"}, 'wait must be seconds above 0, or a text as "90s"'),
        ({"wait": 0}, "wait must be seconds above 0"),
        ({"wait": True}, "wait must be"),
        ({"wait": "99999d"}, "at most 10 years"),
        ({"server": {"file": "a\0b"}}, "server.file must be a text that can be printed"),
        ({"server": {"file": ""}}, "server.file must be a text that can be printed"),
        (
            NEVER_PROMOTED | {"promotion": {}, "apprentice": True},
            "apprentice: a learner of a baseline's choices must learn from",
        ),
        ({"apprentice": 1}, "apprentice must be true or false, got 1"),
        ({"default_reward": 2}, "default_reward must be a number in [0, 1], got 2"),
        ({"learner": {}}, "learner.name"),
        ({"learner": {"name": "InvreseGap"}}, "did you mean 'InverseGap'"),
        ({"learner": {"name": "InverseGap", "scael": 1}}, "did you mean 'scale'"),
        ({"learner": {"name": "InverseGap", "scale": -1}}, "learner: scale must be"),
        ({"learner": {"name": "InverseGap", "seed": 1}}, "learner must not have seed"),
        ({"learner": {"name": "Perceptron"}}, "full information"),
        ({"learner": {"name": "InverseGap", "policy": "a b"}}, "learner.policy must be"),
        ({"challengers": {"inversegap": {"name": "EpsilonGreedy"}}}, "other names"),
        ({"challengers": {"x": {"name": "Nobody"}}}, "challengers.x: learner must be"),
        ({"challengers": {"x": {"name": "Banditron"}}}, "challengers.x"),
        ({"challengers": {"x": "Chorus"}}, "challengers.x.name must be"),
        (NEVER_PROMOTED, "promotion.rule: whoever another policy is promoted over must learn"),
        ({"promotion": {"rule": "diference"}}, "did you mean 'difference'"),
        ({"promotion": {"levl": 0.9}}, "promotion.levl is unknown"),
        *(
            ({"promotion": {"level": level}}, "promotion.level must be a number in [0.5, 1), got")
            for level in (1, 1.0, 0.49, float("nan"), "high", True)
        ),
        ({"tokens": {"t": "secret"}}, "tokens.t must be a table"),
        ({"tokens": {"t": TABLE | {"sha256": "secret"}}}, "tokens.t.sha256 must be 64 hexadecimal"),
        ({"tokens": {"t": TABLE | {"scopes": ["decdie"]}}}, "did you mean 'decide'"),
        ({"tokens": {"t": TABLE | {"scopes": []}}}, "tokens.t.scopes must be a list"),
        ({"tokens": {"t": {"scopes": ["decide"]}}}, "tokens.t.sha256 is missing"),
        ({"server": {"prot": 1}}, "did you mean 'port'"),
        ({"server": {"port": 70000}}, "server.port must be an integer in [0, 65535], got 70000"),
        ({"server": {"host": "0.0.0.0"}}, "server.host must be one of 127.0.0.1, localhost, ::1"),
        ({"server": {"file": "missing/log.db"}}, "server.file must lie in a folder that exists"),
        ({"server": {"file": 3}}, "server.file must be a text"),
        ({"server": {"body": 10}}, "server.body must be an integer"),
    ],
)
def test_every_mistake_is_named(tmp_path, changes, words):
    with pytest.raises(ValueError, match=re.escape(words)):
        parse(PLAIN | changes, tmp_path)


@pytest.mark.parametrize("key", PLAIN)
def test_what_is_missing_is_named(tmp_path, key):
    with pytest.raises(ValueError, match=f"{key} is missing"):
        parse({k: v for k, v in PLAIN.items() if k != key}, tmp_path)


def test_the_file_is_named(tmp_path):
    path = tmp_path / "app.toml"
    path.write_text("name = ")
    with pytest.raises(ValueError, match=r"app\.toml: "):
        read(path)
    path.write_bytes(b"name = '\xff'")
    with pytest.raises(ValueError, match=r"app\.toml: "):
        read(path)
