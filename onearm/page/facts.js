/* Facts of a service in words and numbers, warnings and checks. What is not known is a dash. */

const setText = (name, text) => {
  for (const place of document.querySelectorAll(`[data-text=${name}]`))
    if (place.textContent !== text) place.textContent = text; // a reader may have selected it
};
const count = (x) => whole.format(x ?? 0);
const share = (x) => (x === null ? "–" : x.toFixed(4).replace("-", "−"));
const rate = (x) => (x < 99.95 ? x.toFixed(1) : count(x));
const clock = (time) => new Date(1000 * time).toLocaleTimeString([], { hour12: false });

/* Return a time in the unit that leaves few digits. */
function duration(seconds) {
  const units = [[86400, "d"], [3600, "h"], [60, "min"]]; // prettier-ignore
  const [size, name] = units.find(([size]) => seconds >= 1.5 * size) ?? [1, "s"];
  return `${+(seconds / size).toFixed(size > 60 ? 1 : 0)} ${name}`;
}

function showText(state, points) {
  const { counts, per_second, reward, commit_ms, policies, champion, apprentice, baseline } = state;
  const behind = state.seq - state.snapshot_seq;
  const texts = {
    about: `Updated ${clock(state.time)}`,
    decisions: rate(per_second.decisions),
    decided: `${count(counts.decided)} in all`,
    rewards: rate(per_second.rewards),
    rewarded: `${count(counts.applied)} in all, ${count(counts.expired)} by default`,
    mean: share(reward.mean),
    interval: reward.n ? `${share(reward.low)} to ${share(reward.high)}${recently(points)}` : "no rewards yet",
    pending: count(state.pending),
    wait: `default reward ${state.default_reward} after ${duration(state.wait)}`,
    queue: count(state.waiting),
    room: `of at most ${count(state.room)} requests`,
    p50: commit_ms ? milliseconds(commit_ms.p50) : "–",
    p99: commit_ms ? `99 % within ${milliseconds(commit_ms.p99)}` : "no commits yet",
    champion,
    alone: apprentice ? `a baseline decides, and ${champion} learns from it` : `${champion} decides and learns alone`,
    learner: `${champion} (${policies[champion] ?? "?"})${apprentice ? apprenticed(baseline) : ""}`,
    version: `${count(state.model_seq)}, the last record learnt from`,
    log: `${count(state.seq)} records`,
    snapshot: state.snapshot_seq
      ? `at record ${count(state.snapshot_seq)}, ${duration(state.snapshot_age)} ago, ${count(behind)} records since`
      : "none yet",
    started: `${new Date(1000 * state.started).toLocaleString([], { hour12: false })}, when this process started`,
  };
  for (const [name, text] of Object.entries(texts)) setText(name, text);
  for (const cell of document.querySelectorAll("[data-count]"))
    cell.textContent = count({ refused: state.refused, ...counts }[cell.dataset.count]);
}

/* Return how often the champion would have chosen as the baseline that decides. */
const apprenticed = ({ n, agreed }) =>
  `, an apprentice: its best label was that of the baseline in ${count(agreed)} of ${count(n)} decisions`;

const milliseconds = (x) => `${x < 9.995 ? x.toFixed(2) : x.toFixed(0)} ms`;

/* Return the mean of the rewards that came within the last minute. */
function recently(points) {
  const last = points.at(-1);
  const first = points.find((point) => point.time >= last.time - 60);
  const n = last.outcomes.n - first.outcomes.n;
  return n > 0 ? `; last minute ${share((last.outcomes.total - first.outcomes.total) / n)}` : "";
}

function showWarnings({ checks, waiting, room, counts }) {
  const texts = checks.filter(({ passed }) => !passed).map(checkText);
  if (waiting > room / 2) texts.push("The queue is more than half full: requests are refused soon");
  if (counts.not_finite) texts.push(`${count(counts.not_finite)} decisions were refused: the model gave no probabilities`);
  const places = document.querySelector(".warnings");
  if (places.textContent === texts.map(warningText).join("")) return;
  places.replaceChildren(...texts.map((text) => element("p", warningText(text), "warning")));
}

const warningText = (text) => `Warning. ${text}.`;

function checkText({ check, passed, z, limit, label }) {
  const name = check[0].toUpperCase() + check.slice(1);
  if (z === null) return `${name}: too few decisions yet`;
  const which = label === null ? "|z|" : `largest |z| (${label})`;
  const about = passed ? "" : ": labels are not chosen as often as their logged probabilities say";
  return `${name}: ${which} ${Math.abs(z).toFixed(2)}, limit ${limit.toFixed(2)}${about}`;
}

function showChecks(list, checks) {
  const rows = checks.map((check) => {
    const row = element("li", "");
    const word = check.z === null ? "waiting" : check.passed ? "passed" : "failed";
    row.append(element("span", word, "mark"), ` ${checkText(check)}`);
    return row;
  });
  list.replaceChildren(...rows);
}
