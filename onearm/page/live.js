/* The live page: shows the state of a service, which comes every second. */

const panel = document.querySelector(".stream");
const lines = JSON.parse(panel.querySelector("script").textContent);
const figure = (name) => panel.querySelector(`[data-plot=${name}]`);
const rates = new RatesChart(figure("rates"), lines.rates);
const rewards = new LiveChart(figure("reward"), lines.reward);
const charts = [rates, rewards];
const shown = { points: [], curve: new Curve([]), state: null, drained: false, changed: 0 };
panel.querySelectorAll(".labels table").forEach(makeSortable);

const STALLED = 8000; // milliseconds without a new state
const HEALTH = {
  connecting: "Connecting",
  serving: "Connected: the service takes decisions",
  stalled: "Connected, but nothing new comes: see the log of the service",
  draining: "Draining: the service answers what waits and takes no more decisions",
  stopped: "Stopped: the service has ended; waiting until it is back",
  reconnecting: "Reconnecting: what is shown is old",
  token: "Not connected: a token is needed",
};

const connection = new Connection(panel.dataset.events, {
  event: (name, data) => ({ history: takeHistory, state: takeState, draining: drain })[name]?.(data),
  ended: (lost) => (shown.drained ? lost && setHealth("stopped") : setHealth("reconnecting")),
  refused: askForToken,
});

function setHealth(name) {
  const health = document.querySelector(".health");
  if (health.dataset.health === name) return;
  health.dataset.health = name;
  health.querySelector("[role=status]").textContent = HEALTH[name];
  panel.querySelector(".live").classList.toggle("old", name === "reconnecting" || name === "stopped");
}

function askForToken(reason) {
  setHealth("token");
  panel.querySelector("form").hidden = false;
  panel.querySelector(".live").hidden = true;
  setText("refused", reason);
  panel.querySelector("[data-text=refused]").hidden = !reason;
  panel.querySelector("#token").focus();
}

panel.querySelector("form").addEventListener("submit", (event) => {
  event.preventDefault();
  panel.querySelector("form").hidden = true;
  setHealth("connecting");
  connection.use(panel.querySelector("#token").value.trim());
  panel.querySelector("#token").value = "";
});

function takeHistory({ points, curve }) {
  shown.points = points;
  shown.curve = new Curve(curve);
}

function drain() {
  shown.drained = true;
  setHealth("draining");
}

function takeState(state) {
  if (!state.counts) return; // the service begins
  const isNew = state.time !== shown.state?.time;
  if (isNew) shown.changed = Date.now();
  setHealth(Date.now() - shown.changed > STALLED ? "stalled" : state.status);
  shown.drained = state.status !== "serving";
  if (!isNew) return;
  const { time, per_second, outcomes, reward } = state;
  shown.state = state;
  if (time > (shown.points.at(-1)?.time ?? 0)) shown.points.push({ time, per_second, outcomes });
  shown.points = shown.points.slice(-POINTS);
  shown.curve.add([reward.n, reward.mean, reward.low, reward.high]);
  panel.querySelector(".live").hidden = false;
  if (!document.hidden) show();
}

document.addEventListener("visibilitychange", () => document.hidden || !shown.state || show());

function show() {
  const { state, points, curve } = shown;
  showText(state, points);
  showWarnings(state);
  showDifferences(list("differences"), state.differences, state.policies);
  showLabels(list("labels"), state.labels);
  showChecks(list("checks"), state.checks);
  for (const name of ["differences", "labels"]) {
    const isEmpty = state[name].length === 0;
    panel.querySelectorAll(`[data-none=${name}]`).forEach((part) => (part.hidden = !isEmpty));
    panel.querySelectorAll(`[data-some=${name}]`).forEach((part) => (part.hidden = isEmpty));
  }
  const means = averaged(points);
  const minutes = means.map(({ time }) => Math.min(0, (time - state.time) / 60));
  const keys = ["decisions", "rewards", "defaults"];
  rates.update(minutes, keys.map((key) => ({ mean: means.map((p) => p.per_second[key]) })));
  const [n, mean, low, high] = [0, 1, 2, 3].map((i) => curve.column(i));
  rewards.update(n, [{ mean, low, high }]);
}

const list = (name) => panel.querySelector(`[data-list=${name}]`);

matchMedia("(prefers-color-scheme: dark)").addEventListener("change", () =>
  charts.forEach((chart) => chart.draw()),
);
