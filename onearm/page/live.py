"""The live page of a service: a frame, which its program fills with the service's events.

The page has no data. It asks for the events of the app, with a token if the service wants one, and
shows the state that comes every second. The events `history` and `state` are what the watcher of
the service gives.
"""

from onearm.page import HERE, html, plots

SCRIPTS = (
    "ticks", "readout", "chart", "table", "connection", "live_charts", "facts",
    "differences", "labels", "live",
)  # fmt: skip
RATES = (
    {"label": "decisions", "colour": "c0", "dash": "", "width": 1.75},
    {"label": "rewards", "colour": "c1", "dash": "8 5", "width": 1.75},
    {"label": "default rewards", "colour": "quiet", "dash": "2 4", "width": 1.75},
)
REWARD = ({"label": "mean reward", "colour": "c0", "dash": "", "width": 1.75},)
STATUSES = {
    "applied": "Learnt from",
    "duplicate": "The same reward again: nothing changes",
    "conflict": "Another reward for an event that has one: refused",
    "late": "After the default reward: stored, not learnt",
    "unknown": "No decision has this event id",
    "invalid": "Refused: a reward out of range, a wrong context, ...",
    "not_activated": "For a deferred decision that was never activated: refused",
    "expired": "No feedback in time: the default reward was learnt",
    "refused": "Not taken: the queue was full, or the service was ending (503)",
}


def page(app: str, version: str) -> str:
    """Return the page of an app.

    >>> "connect-src 'self'" in page("news", "1.0")
    True
    """
    style = plots.STYLESHEET + (HERE / "live.css").read_text(encoding="utf-8")
    shown = {
        "title": app, "version": version, "rates": RATES, "reward": REWARD, "statuses": STATUSES,
        "lines": plots.script_json({"rates": RATES, "reward": REWARD}),
    }  # fmt: skip
    return html("live.html", shown, SCRIPTS, style)
