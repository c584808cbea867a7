"""The commands `onearm serve`, which runs a service, and `onearm token`, which makes a token."""

from dataclasses import replace
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Annotated, Any

import typer
from typer import Argument, Option

from onearm.cli.arguments import require_file
from onearm.cli.errors import errors_in_words

SCOPES = ("decide", "feedback", "read", "admin")
LEAST = ("decide", "feedback")  # what a product needs


def serve(
    app: Annotated[Path | None, Argument(help="TOML file of the app.")] = None,
    demo: Annotated[
        bool, Option("--demo", help="Make an app with simulated visitors; no file is needed.")
    ] = False,
    port: Annotated[
        int | None, Option(min=0, max=65535, help="Instead of the file's; 0: any free one.")
    ] = None,
    verbose: Annotated[bool, Option("--verbose", help="Log every request.")] = False,
) -> None:
    """Run an agent as an HTTP service: decide, feedback, learn, lose nothing.

    SIGTERM or Ctrl-C ends it: what waits is committed and answered, and a snapshot is stored.

    onearm serve app.toml

    onearm serve --demo
    """
    with errors_in_words():
        if (app is None) != demo:
            raise typer.BadParameter("give a file of settings, or --demo")
        _require_extra()
        code = _demo(port or 0, verbose) if app is None else _serve(app, port, verbose)
    raise typer.Exit(code)


def _serve(path: Path, port: int | None, verbose: bool) -> int:
    from onearm.service.app import read
    from onearm.service.lines import Lines, collect
    from onearm.service.server import serve as run

    require_file(path, "the app")
    lines = Lines(verbose)
    collect(lines)  # before anything can compile
    app = read(path)
    if port is not None:
        app = replace(app, server=replace(app.server, port=port))
    return run(app, lines, lambda address: typer.echo(f"listening: {address}"))


def warm_service(path: Path) -> None:
    """Compile what a service needs: let it decide, learn and replay once, in memory."""
    with errors_in_words():
        _require_extra()
        require_file(path, "the app")
        from onearm.service.app import read
        from onearm.service.warming import warm_app

        warm_app(read(path))


def _demo(port: int, verbose: bool) -> int:
    from onearm.service.demo import Visitors, demo_app
    from onearm.service.lines import Lines, collect
    from onearm.service.server import serve as run

    lines = Lines(verbose)
    collect(lines)
    with TemporaryDirectory(prefix="onearm-demo-") as folder:
        app, visitors = demo_app(Path(folder), port), Visitors()

        def opened(address: str) -> None:
            typer.echo(f"listening: {address}")
            typer.echo("simulated visitors come until Ctrl-C; then the log is removed")
            visitors.start(address)

        return run(app, lines, opened)


def _require_extra() -> None:
    """Say which extra is missing, if one is."""
    from importlib.util import find_spec

    for package in ("uvicorn", "uvloop", "httptools", "msgspec", "apsw", "prometheus_client"):
        if find_spec(package) is None:
            raise ImportError(f"onearm serve needs {package}: pip install 'onearm[serve]'")


def token(
    name: Annotated[str, Argument(help="Name of who gets the token, e.g. shop.")],
    scope: Annotated[
        list[str] | None,
        Option(
            help=f"One of {', '.join(SCOPES)}; may be given again.",
            show_default=", ".join(LEAST),
        ),
    ] = None,
) -> None:
    """Make a token: print it once, with the lines for the TOML file of an app.

    The file has only its SHA-256: whoever reads the file cannot use the service.

    onearm token shop

    onearm token operator --scope admin
    """
    with errors_in_words():
        made, lines = _new_token(name, scope or list(LEAST))
    typer.echo(f"token, shown only now: {made}\n\n{lines}")


def _new_token(name: str, scopes: list[str]) -> tuple[str, str]:
    from onearm.service.auth import new_token
    from onearm.service.toml_values import as_name, one_of

    quoted: list[Any] = [f'"{one_of("--scope", scope, SCOPES)}"' for scope in scopes]
    made, sha256 = new_token()
    table = f"[tokens.{as_name('the name', name)}]"
    return made, f'{table}\nsha256 = "{sha256}"\nscopes = [{", ".join(quoted)}]'
