"""The OpenAPI document: it has every route, and what the service answers is what it says."""

import json
from pathlib import Path

import pytest
import schemathesis
from hypothesis import HealthCheck, settings
from schemathesis import checks
from schemathesis.specs.openapi import checks as of_openapi

from onearm.service.app import parse
from onearm.service.openapi import document, page
from tests.service.serving import SETTINGS, serving

APP = parse(SETTINGS, Path())
DOCUMENT = document(APP)
STREAMS = ("/v1/news/events",)  # which never end
schema = schemathesis.openapi.from_dict(
    {**DOCUMENT, "paths": {p: item for p, item in DOCUMENT["paths"].items() if p not in STREAMS}}
)
CHECKS = [
    checks.not_a_server_error,
    of_openapi.status_code_conformance,
    of_openapi.content_type_conformance,
    of_openapi.response_schema_conformance,
    of_openapi.negative_data_rejection,
]


@pytest.fixture(scope="module")
def served():
    with serving() as server:
        server.decide(event_id="known")
        yield server


def test_the_document_has_every_route(served):
    routes = served.server.service.routes
    listed = {(path, method.upper()) for path, item in DOCUMENT["paths"].items() for method in item}
    assert listed == {(path, route.method) for path, route in routes.items()}


def test_the_document_is_served_and_names_the_columns(served):
    status, got = served.get("/openapi.json")
    assert status == 200
    assert got == json.loads(json.dumps(DOCUMENT))
    context = got["components"]["schemas"]["DecideBody"]["properties"]["context"]
    assert list(context["properties"]) == ["age", "on"]


def test_the_page_needs_no_network_and_no_script(served):
    text = page(APP).decode()
    assert served.get("/docs")[1].decode() == text
    assert "<script" not in text
    assert "http://" not in text
    assert "https://" not in text
    for path in DOCUMENT["paths"]:
        assert path in text
    for name in DOCUMENT["components"]["schemas"]:
        assert f'id="{name}"' in text


@schema.parametrize()
@settings(max_examples=25, deadline=None, suppress_health_check=list(HealthCheck))
def test_answers_are_as_the_document_says(served, case):
    response = case.call(base_url=served.url)
    some = CHECKS[:-1] if response.status_code == 207 else CHECKS  # each of a list has its code
    case.validate_response(response, checks=some)
    assert not served.failures
