"""Markdown: tables, and where their numbers come from."""

import json
from datetime import UTC, datetime

from onearm.experiments.job import Record


def table(head: list[str], rows: list[list[str]]) -> str:
    """Return a Markdown table."""
    lines = [head, ["---"] * len(head), *rows]
    return "\n".join("| " + " | ".join(line) + " |" for line in lines)


def written_by(command: str, records: list[Record]) -> str:
    """Return a line that says from which runs a report was written, when and by what."""
    versions = dict.fromkeys(json.dumps(record["versions"], sort_keys=True) for record in records)
    texts = [", ".join(f"{k} {v}" for k, v in json.loads(text).items()) for text in versions]
    texts += sorted({record["cpu"] for record in records if "cpu" in record})
    minutes = sum(record.get("cpu_seconds", 0.0) for record in records) / 60
    time = f", {minutes:,.0f} min of CPU time" if minutes >= 0.5 else ""
    today = datetime.now(UTC).date().isoformat()
    return (
        f"Written by `{command}` on {today} from {len(records):,} runs{time}; {'; '.join(texts)}."
    )
