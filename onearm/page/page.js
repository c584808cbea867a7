/* The page: a panel per stream or evaluation, its charts; copying, printing and dark mode. */

const panels = [...document.querySelectorAll(".stream")];
const tabs = [...document.querySelectorAll("[role=tab]")];
const charts = panels.flatMap(makePanel);

function makePanel(panel) {
  const points = JSON.parse(panel.querySelector("script").textContent);
  const table = panel.querySelector("table");
  panel.querySelectorAll("table").forEach(makeSortable);
  return ["curves", "exploration"].flatMap((kind) => {
    const figure = panel.querySelector(`[data-plot=${kind}]`);
    if (!figure) return [];
    const chart = new Chart(figure, points[kind]);
    if (kind === "curves")
      table.querySelectorAll("[data-line]").forEach((button) => chart.bind(button));
    return [chart];
  });
}

/* Show one stream; without tabs there is but one. */
function choose(i) {
  panels.forEach((panel, j) => (panel.hidden = i !== j));
  tabs.forEach((tab, j) => {
    tab.setAttribute("aria-selected", i === j);
    tab.tabIndex = i === j ? 0 : -1;
  });
}

tabs.forEach((tab, i) => {
  tab.addEventListener("click", () => choose(i));
  tab.addEventListener("keydown", ({ key }) => {
    const to = { ArrowLeft: i - 1, ArrowRight: i + 1, Home: 0, End: -1 }[key];
    if (to === undefined) return;
    choose((to + tabs.length) % tabs.length);
    tabs.at(to % tabs.length).focus();
  });
});
choose(0);

for (const button of document.querySelectorAll("[data-copy]"))
  button.addEventListener("click", async () => {
    const source = document.getElementById(button.dataset.copy);
    button.textContent = (await copied(source)) ? "Copied" : "Press Ctrl+C";
    setTimeout(() => (button.textContent = "Copy"), 2000);
  });

/* Return whether the text went to the clipboard; where a browser refuses, leave it selected. */
async function copied(source) {
  try {
    await navigator.clipboard.writeText(source.textContent);
    return true;
  } catch {
    getSelection().selectAllChildren(source);
    return false;
  }
}

matchMedia("(prefers-color-scheme: dark)").addEventListener("change", () =>
  charts.forEach((chart) => chart.draw()),
);

/* On paper all streams are shown, in light colours, and charts are as wide as the paper: the style
   knows the class. */
let chosen = 0;
addEventListener("beforeprint", () => {
  chosen = panels.findIndex((panel) => !panel.hidden);
  document.documentElement.classList.add("printed");
  panels.forEach((panel) => (panel.hidden = false));
  charts.forEach((chart) => chart.draw());
});
addEventListener("afterprint", () => {
  document.documentElement.classList.remove("printed");
  choose(chosen);
  charts.forEach((chart) => chart.draw());
});
