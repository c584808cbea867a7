"""The commands `onearm serve`, which runs a service, and `onearm token`, which makes a token."""

from pathlib import Path
from typing import Annotated

import typer
from typer import Argument, Option

from onearm.cli.arguments import require_file
from onearm.cli.errors import errors_in_words


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

    onearm serve app.toml

    onearm serve --demo
    """
    from dataclasses import replace

    with errors_in_words():
        if (app is None) == (not demo):
            raise typer.BadParameter("give a file of settings, or --demo")
        from onearm.service.app import read
        from onearm.service.logs import Lines
        from onearm.service.server import serve as run

        require_file(app, "the app")
        settings = read(app)
        if port is not None:
            settings = replace(settings, server=replace(settings.server, port=port))
        code = run(settings, Lines(verbose), lambda address: typer.echo(f"listening: {address}"))
    raise typer.Exit(code)
