"""Machine code that others call by a symbol, which stands for its address in this process."""

from typing import Any, NamedTuple

from llvmlite.binding import add_symbol

PREFIX = "onearm_separate_"


class Published(NamedTuple):
    """What is at the address of a symbol."""

    digest: str  # of the kernel's code
    types: tuple  # of its arguments
    result: Any  # from Numba's compiler; as long as it is referred to, the code stays in memory


PUBLISHED: dict[str, Published] = {}  # for as long as the process lives: callers jump there


def publish(symbol: str, digest: str, result: Any) -> None:
    """Let compiled code be called by `symbol`."""
    if symbol not in PUBLISHED:
        add_symbol(symbol, result.library.get_pointer_to_function(result.fndesc.llvm_func_name))
        PUBLISHED[symbol] = Published(digest, result.signature.args, result)


def needed(result: Any) -> list[tuple[str, tuple]]:
    """Return what compiled code calls by symbols: digest and argument types of each."""
    functions = result.library._final_module.functions
    names = [f.name for f in functions if f.is_declaration and f.name.startswith(PREFIX)]
    return [PUBLISHED[name][:2] for name in names]
