/* The table of labels. Rows stay where they are, so that a reader's order and place remain. */

const percent = (x) => (x === null ? "–" : `${(100 * x).toFixed(2)} %`);

function showLabels(body, labels) {
  while (body.rows.length > labels.length) body.rows[body.rows.length - 1].remove();
  const rows = new Map([...body.rows].map((row) => [Number(row.dataset.i), row]));
  const widest = Math.max(1e-9, ...labels.flatMap(({ share, expected }) => [share, expected]));
  body.closest(".labels").classList.toggle("many", labels.length > 30);
  labels.forEach((label, i) => {
    const row = rows.get(i) ?? body.appendChild(newRow(i));
    showLabel(row, label, widest);
  });
}

function newRow(i) {
  const row = document.createElement("tr");
  row.dataset.i = i;
  const head = row.appendChild(element("th", ""));
  head.scope = "row";
  head.append(element("span", ""), element("span", "retired", "mark"));
  for (let j = 0; j < 5; j++) row.append(element("td", ""));
  const bar = element("div", "", "share");
  bar.append(element("span", "", "fill"), element("span", "", "wanted"));
  row.cells[1].append(bar);
  return row;
}

function showLabel(row, { label, chosen, share, expected, z, retired }, widest) {
  const [head, bar, ...cells] = row.cells;
  head.dataset.value = head.firstChild.textContent = label;
  head.lastChild.hidden = !retired;
  bar.dataset.value = share;
  bar.querySelector(".fill").style.width = `${(100 * share) / widest}%`;
  bar.querySelector(".wanted").style.left = `${(100 * expected) / widest}%`;
  const sign = z === null ? "–" : signed(z, 2);
  const texts = [whole.format(chosen), percent(share), percent(expected), sign];
  [chosen, share, expected, z ?? ""].forEach((value, j) => {
    cells[j].dataset.value = value;
    cells[j].textContent = texts[j];
  });
}
