/* Ticks: which numbers an axis shows, and how. */

/* Return round numbers between low and high, at most `room` of them. */
function linearTicks(low, high, room) {
  const rough = (high - low) / Math.max(1, room);
  const power = 10 ** Math.floor(Math.log10(rough));
  const step = [1, 2, 5, 10].map((m) => m * power).find((s) => s >= rough);
  const ticks = [];
  for (let i = Math.ceil(low / step - 1e-9); i * step <= high + 1e-9 * step; i++)
    ticks.push(+(i * step).toPrecision(12));
  return ticks;
}

/* Return the densest of a few usual sets of numbers that leaves room; within a part of a decade
   these would be too few, and ticks are as on a linear axis. */
function logTicks(low, high, room) {
  const within = (digits) => {
    const ticks = [];
    for (let e = Math.floor(Math.log10(low)); e <= Math.log10(high); e++)
      for (const digit of digits) ticks.push(+`${digit}e${e}`);
    return ticks.filter((t) => t >= low * (1 - 1e-9) && t <= high * (1 + 1e-9));
  };
  const sets = [[1, 2, 3, 5, 7], [1, 2, 5], [1, 3], [1]].map(within);
  const ticks = sets.find((set) => set.length <= room);
  if (!ticks) return sets[3].filter((_, i) => i % Math.ceil(sets[3].length / room) === 0);
  return ticks.length < 3 ? linearTicks(low, high, Math.min(room, 6)) : ticks;
}

const short = new Intl.NumberFormat("en", { notation: "compact", maximumFractionDigits: 2 });
const whole = new Intl.NumberFormat("en", { maximumFractionDigits: 0 });

/* Return a number without digits that say nothing: 0.05, 200, 10K. */
const tickText = (x) =>
  (Math.abs(x) >= 1000 ? short.format(x) : String(+x.toPrecision(6))).replace("-", "−");
