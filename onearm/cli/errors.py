"""How the program ends when something is wrong: in words, with an exit code, never a traceback."""

import signal
import sys
import threading
from collections.abc import Iterator
from contextlib import contextmanager

import typer


@contextmanager
def errors_in_words() -> Iterator[None]:
    """Report wrong arguments as usage errors, and a full disk and its like as what they are."""
    try:
        yield
    except (typer.Exit, typer.Abort):  # which are RuntimeErrors
        raise
    except (FileNotFoundError, FileExistsError, NotADirectoryError, IsADirectoryError) as error:
        is_of_system = error.errno is not None
        text = f"{error.strerror}: {str(error.filename)!r}" if is_of_system else str(error)
        raise typer.BadParameter(text) from error
    except OSError as error:
        path = f"{error.filename}: " if error.filename is not None else ""
        typer.echo(f"error: {path}{error.strerror or error}", err=True)
        raise typer.Exit(1) from error
    except (ValueError, ImportError, RuntimeError) as error:
        raise typer.BadParameter(str(error)) from error
    except Exception as error:
        if type(error).__module__ != "apsw":  # which is imported by the service only
            raise
        typer.echo(f"error: the file cannot be read or written: {error}", err=True)
        raise typer.Exit(1) from error


@contextmanager
def ending_with_sigterm() -> Iterator[None]:
    """Let SIGTERM end workers, too: it is an exception meanwhile."""
    if threading.current_thread() is not threading.main_thread():
        yield
        return
    before = signal.signal(signal.SIGTERM, lambda *_: sys.exit(143))
    try:
        yield
    finally:
        signal.signal(signal.SIGTERM, before)
