"""The OpenAPI document of a service, made from its operations and their msgspec types."""

import json
from html import escape
from typing import Any

import msgspec

import onearm
from onearm.service.answers import Refused
from onearm.service.app import App
from onearm.service.messages import MOST
from onearm.service.operations import OPERATIONS, Operation

REFERENCE = "#/components/schemas/{name}"
WORDS = {
    200: "done", 202: "taken", 207: "some of the list were refused", 400: "the body is no JSON",
    401: "no token that the service knows", 403: "the token has not the scope", 404: "unknown",
    405: "another method", 409: "in conflict with the log", 410: "an old event, moved to an export",
    413: "the body is too large", 415: "the body must be application/json", 422: "invalid",
    500: "failed",
    503: "the queue is full or the service is ending: try again, with the same event_id",
}  # fmt: skip
KINDS: dict[str, list[str]] = {
    "number": ["number", "boolean", "null"], "text": ["string", "null"],
    "category": ["string", "number", "boolean", "null"],
}  # fmt: skip
Json = dict[str, Any]


def document(app: App) -> Json:
    """Return the OpenAPI document of an app."""
    types = [op.body for op in OPERATIONS if op.body] + [Refused]
    types += [op.answer for op in OPERATIONS if not isinstance(op.answer, str)]
    unique = list(dict.fromkeys(types))
    references, schemas = msgspec.json.schema_components(unique, ref_template=REFERENCE)
    schemas["DecideBody"]["properties"]["context"] = context_schema(app.settings["schema"])
    of_type = dict(zip(unique, references, strict=True))
    paths: Json = {}
    for op in OPERATIONS:
        path = op.path.replace("{app}", app.name)
        paths[path] = {op.method.lower(): _operation(op, of_type, bool(app.tokens))}
    about = "Decide, give feedback, learn. Answers are in the log before they are sent."
    made: Json = {
        "openapi": "3.1.0",
        "info": {"title": app.name, "version": onearm.__version__, "description": about},
        "paths": paths,
        "components": {"schemas": schemas},
    }
    if app.tokens:
        made["components"]["securitySchemes"] = {"token": {"type": "http", "scheme": "bearer"}}
    return made


def context_schema(schema: str) -> Json:
    """Return what a context is: values by the names of columns, at least one of them."""
    columns = json.loads(schema)["columns"]
    properties = {}
    for name, form in columns.items():
        kind = next(iter(form)) if isinstance(form, dict) else form
        properties[name] = {"type": KINDS.get(kind if isinstance(kind, str) else "category")}
        if isinstance(form, list):
            properties[name]["examples"] = [value for value in form if value is not None]
    return {
        "type": "object",
        "properties": properties,
        "anyOf": [{"required": [name]} for name in columns],
        "description": "Values of the columns, by name. Absent ones are missing.",
    }


def _operation(op: Operation, of_type: dict[Any, Json], has_tokens: bool) -> Json:
    made: Json = {"operationId": op.name, "summary": op.about, "responses": _responses(op, of_type)}
    if op.scope and has_tokens:
        made["security"] = [{"token": []}]
        made["description"] = f"Needs a token with the scope `{op.scope}`."
    if op.query:
        made["parameters"] = [
            {
                "name": name,
                "in": "query",
                "description": about,
                "schema": {"type": "array", "items": {"type": "string"}},
            }
            for name, about in op.query.items()
        ]
    if op.body:
        schema = of_type[op.body]
        if op.many:
            several = {"type": "array", "items": schema, "minItems": 1, "maxItems": MOST}
            schema = {"anyOf": [schema, several]}
        made["requestBody"] = {
            "required": True,
            "content": {"application/json": {"schema": schema}},
        }
    return made


def _responses(op: Operation, of_type: dict[Any, Json]) -> Json:
    refused = list(op.refusals)
    if op.body:
        refused += [400, 413, 415, 422, 503]
    if op.query:
        refused += [422]
    if op.scope:
        refused += [401, 403, 503]
    made = {str(code): _response(code, of_type[Refused]) for code in sorted({*refused, 405})}
    for code in op.success:
        if isinstance(op.answer, str):
            content: Json = {"description": WORDS[code], "content": {op.answer: {}}}
        else:
            content = _response(code, _answer(op, of_type))
        made[str(code)] = content
    if op.many:
        made["207"] = _response(207, _several(op, of_type))
    return dict(sorted(made.items()))


def _answer(op: Operation, of_type: dict[Any, Json]) -> Json:
    answer = of_type[op.answer]
    return {"anyOf": [answer, _several(op, of_type)]} if op.many else answer


def _several(op: Operation, of_type: dict[Any, Json]) -> Json:
    code = {"type": "object", "required": ["code"], "properties": {"code": {"type": "integer"}}}
    either = {"anyOf": [of_type[op.answer], of_type[Refused]]}
    return {"type": "array", "items": {"allOf": [code, either]}}


def _response(code: int, schema: Json) -> Json:
    return {"description": WORDS[code], "content": {"application/json": {"schema": schema}}}


def page(app: App) -> bytes:
    """Return the document as a page that needs neither network nor script."""
    made = document(app)
    parts = [_section(op, made) for op in OPERATIONS]
    schemas = "".join(
        f'<h3 id="{escape(name)}">{escape(name)}</h3><pre>{_shown(schema)}</pre>'
        for name, schema in made["components"]["schemas"].items()
    )
    return PAGE.format(
        app=escape(app.name), version=onearm.__version__, operations="".join(parts), schemas=schemas
    ).encode()


def _section(op: Operation, made: Json) -> str:
    path = op.path.replace("{app}", made["info"]["title"])
    responses = made["paths"][path][op.method.lower()]["responses"]
    rows = "".join(f"<tr><td>{c}</td><td>{escape(r['description'])}</td></tr>"
                   for c, r in responses.items())  # fmt: skip
    body = ""
    if op.body:
        name = op.body.__name__
        body = f'<p>Body: <a href="#{name}">{name}</a>{" or a list of them" * op.many}</p>'
    if not isinstance(op.answer, str):
        body += f'<p>Answer: <a href="#{op.answer.__name__}">{op.answer.__name__}</a></p>'
    scope = f"scope {op.scope}" if op.scope else "open"
    return (
        f"<h3><code>{op.method} {escape(path)}</code> <small>{scope}</small></h3>"
        f"<p>{escape(op.about)}</p>{body}<details><summary>statuses</summary>"
        f"<table>{rows}</table></details>"
    )


def _shown(schema: Json) -> str:
    return escape(json.dumps(schema, indent=2, ensure_ascii=False))


PAGE = """<!doctype html><html lang="en"><meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1"><title>{app}: HTTP</title>
<style>
:root {{ color-scheme: light dark; }}
body {{ font: 16px/1.5 system-ui, sans-serif; max-width: 48rem; margin: 2rem auto; }}
body {{ padding: 0 1rem; }}
pre {{ overflow-x: auto; padding: .6rem; border: 1px solid #8888; }}
td {{ padding: 0 1rem 0 0; }} small {{ opacity: .7; font-weight: normal; }}
</style>
<h1>{app}</h1><p>onearm {version}. The same as <a href="/openapi.json">OpenAPI</a>.</p>
<h2>Operations</h2>{operations}<h2>Types</h2>{schemas}</html>
"""
