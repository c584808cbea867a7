/* Charts whose points keep coming. */

const POINTS = 600; // of the rates
const SINGLE = 150; // of the rates that are drawn as they are; of more, means over some seconds
const MEAN_OVER = 5; // seconds
const OF_CURVE = 500; // of the reward

class LiveChart extends Chart {
  /* Lines have no points at first. */
  constructor(figure, lines) {
    super(figure, lines.map((line) => ({ ...line, x: [], mean: [], low: null, high: null })));
    this.figure = figure;
    // new points in the middle of a drag would end it
    this.plot.addEventListener("pointerdown", () => (this.dragged = true));
    for (const end of ["pointerup", "pointercancel"])
      addEventListener(end, () => (this.dragged = false));
  }

  /* Show other points of the same lines: x, and for each line its mean, low and high. */
  update(x, lines) {
    const first = this.lines[0].x.length < 2;
    this.lines = this.lines.map((line, i) => ({ ...line, x, ...lines[i] }));
    this.figure.classList.toggle("empty", x.length < 2);
    if (document.hidden || this.dragged || x.length < 2) return;
    if (first || !this.uplot) return this.draw();
    const { min, max } = this.uplot.scales.x;
    const [begin, end] = this.ends;
    const zoomed = min > begin || max < end;
    this.ends = [x[0], x.at(-1)];
    this.uplot.setData(this.points(), !zoomed);
    if (zoomed) this.uplot.redraw();
  }

  meanFor(i) {
    return { ...super.meanFor(i), points: { show: false } };
  }

  draw() {
    const { x } = this.lines[0];
    this.ends = [x[0], x.at(-1)];
    if (x.length > 1) super.draw();
  }
}

/* Rates over the last minutes: the axis begins at 0. */
class RatesChart extends LiveChart {
  roomOfValues({ min, max }) {
    const shown = this.lines.filter((_, i) => this.shown[i]);
    const seen = shown.flatMap(({ x, mean }) => mean.filter((_, i) => x[i] >= min && x[i] <= max));
    return [0, 1.08 * Math.max(1, ...seen)];
  }

  xText(x) {
    return x < 0 ? `${duration(-60 * x)} ago` : "now";
  }
}

/* Return the rates, or means of them where there are many: single seconds would be noise. */
function averaged(points) {
  if (points.length <= SINGLE) return points;
  const groups = new Map();
  for (const point of points) {
    const key = Math.floor(point.time / MEAN_OVER);
    groups.set(key, [...(groups.get(key) ?? []), point]);
  }
  return [...groups.values()].map((some) => {
    const mean = (f) => some.reduce((sum, point) => sum + f(point), 0) / some.length;
    const keys = Object.keys(some[0].per_second);
    const rates = keys.map((key) => [key, mean(({ per_second }) => per_second[key])]);
    return { time: mean(({ time }) => time), per_second: Object.fromEntries(rates) };
  });
}

/* Points (n, mean, low, high) over a growing n, equally far apart, and the last one. */
class Curve {
  constructor(rows) {
    this.rows = rows;
    this.step = rows.length ? (rows.at(-1)[0] - rows[0][0]) / OF_CURVE : 0;
  }

  add(row) {
    if (this.rows.length > 1 && row[0] - this.rows.at(-2)[0] < this.step) this.rows.pop();
    if (row[0] > (this.rows.at(-1)?.[0] ?? 0)) this.rows.push(row);
    if (this.rows.length <= OF_CURVE) return;
    this.rows = this.rows.filter((_, i) => i % 2 === 0);
    this.step = (2 * (this.rows.at(-1)[0] - this.rows[0][0])) / OF_CURVE;
  }

  column(i) {
    return this.rows.map((row) => row[i]);
  }
}
