"""What Z19 prints, digit by digit, and how its runs were made.

D. Zhang, Y. H. Jung, A. Tewari. Online multiclass boosting with bandit feedback. AISTATS 2019.
Tables 1 and 2 print means with two decimals and no standard errors.

Differs from the paper: its tables say k = 4 for Nursery, but the file that its program read has 5
classes, and the program took k from the file.
"""

from typing import NamedTuple

OURS = {
    "OptBandit": "BanditBBM",
    "AdaBandit": "AdaBandit",
    "BinBandit": "BinBandit",
    "OptFull": "OnlineMBBM",
    "AdaFull": "AdaBoostOLM",
}  # the paper's names for its algorithms in the order of its tables, and ours
LEARNERS = tuple(OURS.values())
TUNED = ("AdaBandit", "BanditBBM")  # the paper's own; these are also played with our defaults


class Published(NamedTuple):
    """The rows of Tables 1 and 2 for one data set."""

    k: int
    stream_count: int
    asymptotic: dict[str, float]  # Table 1: accuracy over the last fifth of the stream
    total: dict[str, float]  # Table 2: over all of it
    copies: int  # of the data set, shuffled together
    seeds: range


def _row(k: int, count: int, table1: str, table2: str, copies: int, runs: int = 20) -> Published:
    asymptotic, total = (
        dict(zip(LEARNERS, map(float, text.split()), strict=True)) for text in (table1, table2)
    )
    return Published(k, count, asymptotic, total, copies, range(4, 4 + runs))


TABLES = {
    "balance": _row(3, 6250, "0.89 0.97 0.80 0.76 0.93", "0.83 0.91 0.73 0.71 0.85", 10),
    "car": _row(4, 10368, "0.88 0.98 0.84 0.84 0.96", "0.82 0.93 0.78 0.80 0.93", 6),
    "nursery": _row(4, 51840, "0.93 0.95 0.92 0.94 0.98", "0.89 0.92 0.89 0.91 0.95", 4),
    "movement": _row(5, 165631, "0.94 0.97 0.89 0.92 0.97", "0.89 0.95 0.84 0.87 0.95", 1, 10),
    "mice": _row(8, 8640, "0.73 0.87 0.81 0.81 0.96", "0.53 0.71 0.62 0.65 0.84", 8),
    "isolet": _row(26, 116955, "0.48 0.66 0.66 0.84 0.90", "0.32 0.51 0.52 0.74 0.78", 15, 10),
}
DATA_SETS = tuple(TABLES)
