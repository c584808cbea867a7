/* A table whose rows are sorted by a click on a head. */

function makeSortable(table) {
  for (const head of table.tHead.rows[0].cells)
    head.querySelector("button")?.addEventListener("click", () => sortBy(table, head));
}

function sortBy(table, head) {
  const first = head.dataset.first ?? "ascending";
  const other = first === "ascending" ? "descending" : "ascending";
  const order = head.getAttribute("aria-sort") === first ? other : first;
  const rows = [...table.tBodies[0].rows];
  const keys = new Map(rows.map((row) => [row, sortKey(row.cells[head.cellIndex])]));
  rows.sort((a, b) => compare(keys.get(a), keys.get(b), order === "ascending" ? 1 : -1));
  table.tBodies[0].append(...rows);
  for (const cell of table.tHead.rows[0].cells) cell.removeAttribute("aria-sort");
  head.setAttribute("aria-sort", order);
}

/* Return a number where data-value is one, null where it is empty, else the text. */
function sortKey(cell) {
  const { value } = cell.dataset;
  if (value === "") return null;
  return Number.isNaN(Number(value)) ? value : Number(value);
}

/* What is not known comes last, whichever way. */
function compare(a, b, sign) {
  if (a === null || b === null) return (a === null) - (b === null);
  const text = typeof a === "string" || typeof b === "string";
  return sign * (text ? String(a).localeCompare(String(b), "en", { numeric: true }) : a - b);
}
