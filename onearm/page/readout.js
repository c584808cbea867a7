/* A readout: the values of the visible curves at the cursor, from the highest to the lowest. */

const NEAR = 14; // pixels within which a curve is the one pointed at
const ROW = 19; // pixels

const element = (tag, text, className = "") =>
  Object.assign(document.createElement(tag), { textContent: text, className });

class Readout {
  constructor(chart) {
    this.chart = chart;
    this.box = chart.uplot.over.appendChild(element("div", "", "readout"));
    this.box.hidden = true;
  }

  update() {
    const { over, cursor } = this.chart.uplot;
    const rows = cursor.left < 0 || cursor.idx == null ? [] : this.rows(cursor.idx);
    this.box.hidden = rows.length === 0;
    if (this.box.hidden) return this.chart.focus(null);
    const distance = (row) => Math.abs(row.top - cursor.top);
    const nearest = rows.reduce((a, b) => (distance(a) < distance(b) ? a : b));
    this.chart.focus(distance(nearest) < NEAR ? nearest.i : null);
    // where not all rows fit, those around the nearest are shown
    const fit = Math.floor(over.clientHeight / ROW) - 2;
    const start = Math.min(rows.indexOf(nearest) - Math.floor(fit / 2), rows.length - fit);
    const visible = rows.slice(Math.max(0, start), Math.max(0, start) + fit);
    this.box.replaceChildren(this.head(cursor.idx), ...visible.map((row) => this.line(row)));
    this.box.classList.toggle("left", cursor.left > over.clientWidth / 2);
  }

  /* Return the curves that have a value there, with their distance from the top. */
  rows(idx) {
    const { uplot, lines, shown } = this.chart;
    const all = lines.map((_, i) => ({ i, y: uplot.data[this.chart.meanOf(i)][idx] }));
    return all
      .filter(({ i, y }) => shown[i] && y != null)
      .map((row) => ({ ...row, top: uplot.valToPos(row.y, "y") }))
      .sort((a, b) => b.y - a.y);
  }

  head(idx) {
    return element("b", this.chart.xText(this.chart.uplot.data[0][idx]));
  }

  line({ i, y }) {
    const row = element("div", "", i === this.chart.focused ? "near" : "");
    const swatch = this.chart.buttons[i][0].querySelector("svg").cloneNode(true);
    const value = y.toFixed(this.chart.decimals).replace("-", "−");
    row.append(swatch, element("span", this.chart.lines[i].label), element("span", value));
    return row;
  }
}
