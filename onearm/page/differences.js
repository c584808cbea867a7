/* Differences of challengers to the champion: dots with bars on an axis that has 0, and words. */

const signed = (x, decimals = 4) =>
  x === null ? "–" : `${x < 0 ? "−" : "+"}${Math.abs(x).toFixed(decimals)}`;

function verdict({ low, high }) {
  if (low > 0) return "better";
  return high < 0 ? "worse" : "not decided yet";
}

function showDifferences(list, differences, policies) {
  const key = JSON.stringify([differences, policies]);
  if (list.dataset.shown === key) return; // a reader may have selected it
  list.dataset.shown = key;
  const known = differences.filter(({ n }) => n > 0);
  const ends = [0, ...known.flatMap(({ value, low, high }) => [value, low, high])];
  const [low, high] = known.length ? [Math.min(...ends), Math.max(...ends)] : [-1, 1];
  const room = 0.08 * (high - low) || 0.5;
  const axis = { low: low - room, high: high + room };
  list.style.setProperty("--zero", place(axis, 0) / 100);
  const rows = differences.flatMap((line, i) => difference(axis, line, i, policies[line.policy]));
  list.replaceChildren(...rows, ...(differences.length ? [marks(axis)] : []));
}

/* Return where a number is on an axis, in percent. */
const place = ({ low, high }, x) => Math.min(100, Math.max(0, (100 * (x - low)) / (high - low)));

function difference(axis, line, i, learner) {
  const words = verdict(line);
  const name = element("span", `${line.policy} `, "name");
  name.append(element("span", words, words === "not decided yet" ? "mark" : "mark decided"));
  name.append(element("small", `${learner ?? ""} · ${whole.format(line.n)} events`, "more"));
  const interval = `${signed(line.value)} (${signed(line.low)} to ${signed(line.high)})`;
  const text = line.n ? interval : "no rewards yet";
  const lanes = element("span", "", "lanes");
  const track = lanes.appendChild(element("span", "", "track"));
  track.title = `${line.policy}: ${text}`;
  if (line.n) track.append(...dotAndBar(axis, line, `var(--c${i % 12})`));
  return [name, element("span", text, "rate"), lanes];
}

function dotAndBar(axis, { value, low, high }, background) {
  const [bar, dot] = [element("span", "", "bar"), element("span", "", "dot")];
  const left = place(axis, low);
  Object.assign(bar.style, { left: `${left}%`, width: `${place(axis, high) - left}%`, background });
  Object.assign(dot.style, { left: `${place(axis, value)}%`, background });
  return [bar, dot];
}

function marks(axis) {
  const row = element("span", "", "marks");
  row.setAttribute("aria-hidden", "true");
  for (const x of linearTicks(axis.low, axis.high, 6)) {
    const mark = row.appendChild(element("span", tickText(x)));
    mark.style.left = `${place(axis, x)}%`;
  }
  return row;
}
