/* A chart: curves with shaded intervals, on logarithmic or linear axes. Buttons switch curves on and
   off, dragging zooms. Errors are fractions, on axes that are logarithmic at first; values are in any
   range, on a linear axis, over events on a linear one at first. */

const cssValue = (name) => getComputedStyle(document.documentElement).getPropertyValue(name).trim();
const clip = (x) => (x === null ? null : Math.min(1, Math.max(0, x))); // errors are fractions
const STEPS = { rounds: "round", events: "event" }; // of the curves over time
const SETTLED = 0.1; // intervals before this part of all events are too wide to be in view
const EARLY = 10; // logarithmic axes begin here: the rounds before are noise
const TINY = 1e-9; // where an interval that reaches 0 ends on a logarithmic axis

class Chart {
  constructor(figure, lines) {
    const { x: xName, y: yName = "error", decimals = 4 } = figure.dataset;
    const x = lines[0].x;
    this.lines = lines.map((line) => ({ x, ...line }));
    Object.assign(this, { xName, yName, decimals: Number(decimals), step: STEPS[xName] });
    this.isError = yName === "error";
    this.plot = figure.querySelector(".plot");
    this.shown = lines.map(() => true);
    this.buttons = lines.map(() => []);
    this.log = this.isError;
    figure.querySelectorAll("[data-line]").forEach((button) => this.bind(button));
    figure.querySelector("[data-all]")?.addEventListener("click", () => this.showAll(true));
    figure.querySelector("[data-none]")?.addEventListener("click", () => this.showAll(false));
    for (const radio of figure.querySelectorAll("input[type=radio]"))
      radio.addEventListener("change", () => this.setAxes(radio.value === "log"));
    // a hidden plot has no width: it is drawn when first shown, and stays zoomed when hidden again
    new ResizeObserver(() => ![0, this.width].includes(this.plot.clientWidth) && this.draw()).observe(
      this.plot,
    );
  }

  /* Let a button switch the curve of its data-line. */
  bind(button) {
    const i = Number(button.dataset.line);
    this.buttons[i].push(button);
    button.addEventListener("click", () => this.show(i, !this.shown[i]));
    button.addEventListener("pointerenter", () => this.focus(this.shown[i] ? i : null));
    button.addEventListener("pointerleave", () => this.focus(null));
  }

  show(i, on) {
    this.shown[i] = on;
    for (const button of this.buttons[i]) button.setAttribute("aria-pressed", on);
    this.keepingZoom(() => {
      for (const s of this.seriesOf(i)) this.uplot?.setSeries(s, { show: on });
    });
    if (!on && this.focused === i) this.focus(null);
  }

  showAll(on) {
    this.uplot?.batch(() => this.lines.forEach((_, i) => this.show(i, on)));
  }

  /* Curves that come and go make the error's axis fit anew, unless something is zoomed. */
  keepingZoom(change) {
    if (!this.uplot) return;
    const { scales, data } = this.uplot;
    const zoomed = scales.x.min > data[0][0] || scales.x.max < data[0].at(-1);
    const { min, max } = scales.y;
    change();
    if (zoomed) this.uplot.setScale("y", { min, max });
  }

  setAxes(log) {
    this.log = log;
    this.draw();
  }

  /* Each curve is three series: the ends of its interval, and its mean; means come after all
     intervals, so that no shade is over a line. */
  seriesOf(i) {
    return [2 * i + 1, 2 * i + 2, this.meanOf(i)];
  }

  meanOf(i) {
    return 2 * this.lines.length + i + 1;
  }

  focus(i) {
    if (i === this.focused) return;
    this.focused = i;
    this.uplot?.redraw(false, false);
  }

  /* Return the colour of a curve, as strong as `alpha` (hexadecimal); others step back from one in
     focus. */
  colour(i, alpha, behind) {
    const back = this.focused !== null && this.focused !== i;
    return cssValue(`--${this.lines[i].colour}`) + (back ? behind : alpha);
  }

  draw() {
    this.uplot?.destroy();
    this.uplot = this.readout = null;
    this.width = this.plot.clientWidth;
    this.focused = null;
    if (this.width === 0) return;
    this.uplot = new uPlot(this.options(), this.points(), this.plot);
    this.readout = new Readout(this);
  }

  /* Return whether the axis of errors is logarithmic, which that of values never is. */
  get logY() {
    return this.log && this.isError;
  }

  /* Return x and all series. What is not positive cannot be on a logarithmic axis. */
  points() {
    const positive = this.logY ? (y) => (y > 0 ? y : null) : (y) => y;
    const bottom = this.logY ? (y) => (y === null ? null : Math.max(TINY, y)) : (y) => y;
    const within = this.isError ? clip : (y) => y;
    const tables = this.lines.map(({ x, mean, low, high }) => {
      const late = this.log ? this.early(x) : 0;
      const empty = x.map(() => null);
      const ends = [low, high].map((values) => (values ?? empty).map(within).map(bottom));
      const [t, m, ...both] = [x, (mean ?? empty).map(positive), ...ends].map((v) => v.slice(late));
      return { ends: [t, ...both], mean: [t, m] };
    });
    return uPlot.join([...tables.map((table) => table.ends), ...tables.map((table) => table.mean)]);
  }

  xText(x) {
    return this.step ? `${this.step} ${whole.format(x)}` : `${this.xName} ${x}`;
  }

  early(x) {
    return this.step && x.at(-1) >= 10 * EARLY ? x.findIndex((t) => t >= EARLY) : 0;
  }

  options() {
    const log = this.log && this.lines.every((line) => line.x[0] > 0);
    const distr = (yes) => (yes ? { distr: 3, log: 10 } : { distr: 1 });
    const ends = this.lines.flatMap((_, i) => this.endsFor(i));
    const means = this.lines.map((_, i) => this.meanFor(i));
    return {
      width: this.width,
      height: this.plot.clientHeight,
      series: [{}, ...ends, ...means],
      bands: this.lines.map((_, i) => ({
        series: [2 * i + 2, 2 * i + 1],
        fill: () => this.colour(i, "20", "08"),
      })),
      scales: {
        x: { time: false, ...distr(log), range: (u, low, high) => [low, high] },
        y: { ...distr(this.logY), range: (u, low, high) => this.room(low, high, u.series[0]) },
      },
      axes: [
        this.axis({ label: this.xName, log, space: 70, size: 34 }),
        this.axis({ label: this.yName, log: this.logY, space: 34, size: this.isError ? 48 : 58 }),
      ],
      legend: { show: false },
      cursor: { y: false, points: { show: false }, drag: { x: true, y: true, uni: 24 } },
      padding: [8, 20, 0, 0],
      hooks: { setCursor: [() => this.readout?.update()] },
    };
  }

  endsFor(i) {
    const end = { show: this.shown[i], auto: false, spanGaps: true, points: { show: false } };
    return [end, { ...end, auto: !this.step }]; // of some points all must be in view
  }

  meanFor(i) {
    const { dash, width, x } = this.lines[i];
    return {
      show: this.shown[i],
      stroke: () => this.colour(i, "ff", "40"),
      width,
      dash: dash ? dash.split(" ").map(Number) : undefined,
      spanGaps: true,
      points: { show: x.length <= 30, size: 5 },
    };
  }

  axis({ label, log, space, size }) {
    const quiet = { stroke: () => cssValue("--rule"), width: 1 };
    const font = `12px ${getComputedStyle(this.plot).fontFamily}`;
    return {
      label,
      labelFont: font,
      labelSize: 20,
      font,
      size,
      stroke: () => cssValue("--quiet"),
      grid: quiet,
      ticks: { show: false },
      filter: (u, splits) => splits,
      splits: (u, axis, low, high) => {
        const length = axis === 0 ? u.over.clientWidth || u.width : u.over.clientHeight || u.height;
        return (log ? logTicks : linearTicks)(low, high, Math.max(2, Math.floor(length / space)));
      },
      values: (u, splits) => splits.map(tickText),
    };
  }

  /* Leave a little room above and below the means; of values also the intervals are in view. */
  room(low, high, x) {
    if (!this.isError) return this.roomOfValues(x);
    if (low === null || low === undefined) return this.log ? [0.01, 1] : [0, 1];
    if (this.log) return [low / 1.08, Math.min(high * 1.08, 1.02)];
    return [Math.max(0, low - 0.06 * (high - low || 0.1)), high + 0.06 * (high - low || 0.1)];
  }

  roomOfValues({ min, max }) {
    const seen = this.lines.filter((_, i) => this.shown[i]).flatMap(({ x, mean, low, high }) => {
      const settled = Math.max(min, SETTLED * x.at(-1));
      const ends = x.flatMap((t, i) => (t >= settled && t <= max ? [low?.[i], high?.[i]] : []));
      return [...ends, ...x.flatMap((t, i) => (t >= settled && t <= max ? [mean?.[i]] : []))];
    });
    const known = seen.filter((y) => y !== null && y !== undefined);
    if (!known.length) return [0, 1];
    const [low, high] = apart(Math.min(...known), Math.max(...known));
    return [low - 0.04 * (high - low), high + 0.04 * (high - low)];
  }
}

/* Return the ends of an axis, which must differ. */
function apart(low, high) {
  return low < high ? [low, high] : [low - (Math.abs(low) || 1) / 2, low + (Math.abs(low) || 1) / 2];
}
