"""Build wheel and sdist, and try both in empty environments of every CPython from 3.11 up.

    python -m tests.project.dist

Interpreters are those on the path and those of pyenv. Each environment has the package and what it
requires, no extras; `smoke.py` is run in it, away from this clone.
"""

import re
import shutil
import subprocess
import sys
import tarfile
import tempfile
import zipfile
from pathlib import Path

ROOT = Path(__file__).parents[2]
SMOKE = Path(__file__).parent / "smoke.py"
FIRST = 11  # the minor version of the first Python that is supported
FILES = sorted(
    str(path.relative_to(ROOT))
    for path in (ROOT / "onearm").rglob("*")
    if path.is_file() and "__pycache__" not in path.parts
)
LEFT_OUT = ("papers", "bench", "tests", "docs", "examples")


def build(folder: Path) -> tuple[Path, Path]:
    """Build wheel and sdist into a folder and return their paths."""
    command = [sys.executable, "-m", "hatchling", "build", "-d", str(folder)]
    subprocess.run(command, cwd=ROOT, check=True, capture_output=True)
    (wheel,), (sdist,) = folder.glob("*.whl"), folder.glob("*.tar.gz")
    return wheel, sdist


def contents(path: Path) -> set[str]:
    """Return the names of the files of a wheel or sdist."""
    if path.suffix == ".whl":
        with zipfile.ZipFile(path) as wheel:
            return set(wheel.namelist())
    with tarfile.open(path) as sdist:
        return {name.partition("/")[2] for name in sdist.getnames()}


def faults(wheel: set[str], sdist: set[str]) -> list[str]:
    """Return what is missing from the two, and what must not be in the wheel."""
    both = {"wheel": wheel, "sdist": sdist}
    missing = [(name, kind) for kind in both for name in FILES if name not in both[kind]]
    wrong = [f"{name} is missing from the {kind}" for name, kind in missing]
    return wrong + [f"{name} is in the wheel" for name in wheel if name.startswith(LEFT_OUT)]


def interpreters() -> dict[tuple[int, ...], str]:
    """Return the CPythons from 3.11 up that run on this machine, by version."""
    candidates = [sys.executable]
    candidates += [shutil.which(f"python3.{minor}") or "" for minor in range(FIRST, FIRST + 10)]
    candidates += map(str, sorted((Path.home() / ".pyenv/versions").glob("3.*/bin/python3")))
    known: dict[tuple[int, ...], str] = {}
    tell = "import sys; print(sys.implementation.name, *sys.version_info[:2])"
    for path in filter(None, candidates):
        done = subprocess.run([path, "-c", tell], capture_output=True, text=True)
        match = re.fullmatch(r"cpython (\d+) (\d+)\n", done.stdout)
        version = tuple(map(int, match.groups())) if match else ()
        if version >= (3, FIRST):
            known.setdefault(version, path)
    return known


def smoke(python: str, file: Path) -> str:
    """Install a file into an empty environment, run the smoke test there, return its last line."""
    with tempfile.TemporaryDirectory() as name:
        inside = Path(name) / "env" / "bin"
        steps = (
            [python, "-m", "venv", str(inside.parent)],
            [str(inside / "python"), "-m", "pip", "install", "--quiet", str(file)],
            [str(inside / "python"), "-I", shutil.copy(SMOKE, name)],
        )
        for step in steps:
            done = subprocess.run(step, cwd=name, capture_output=True, text=True)
            if done.returncode:
                return f"FAILED {' '.join(step[1:3])}: {(done.stderr or done.stdout)[-2000:]}"
        return done.stdout.splitlines()[-1]


def main() -> int:
    """Print a line for each Python and file; return how many failed."""
    with tempfile.TemporaryDirectory() as name:
        made = build(Path(name))
        wrong = faults(*map(contents, made))
        print("\n".join(wrong) or "the files that must be in wheel and sdist are there")
        for version, python in sorted(interpreters().items()):
            for file in made:
                result = smoke(python, file)
                wrong += [result] if result.startswith("FAILED") else []
                kind = "wheel" if file.suffix == ".whl" else "sdist"
                print(f"Python {'.'.join(map(str, version))}, {kind}: {result}", flush=True)
        folder = ROOT / "dist"
        folder.mkdir(exist_ok=True)
        print(*(shutil.copy(file, folder) for file in made if not wrong), sep="\n")
    return len(wrong)


if __name__ == "__main__":
    sys.exit(main())
