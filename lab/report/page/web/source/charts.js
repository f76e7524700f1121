// The charts of one entry, one device or one series. Each returns an SVG that fits the given width.
import * as Plot from "@observablehq/plot";
import {duration, percent, precise, prefixed, tick, times} from "./format.js";
import {counted, timed, unique} from "./data.js";

// Safe for the colour-blind; where more than eight things stand in one chart, shapes tell them apart as well.
export const colours = [0, 1, 2, 3, 4, 5, 6, 7].map((place) => `var(--c${place})`);
const symbols = ["circle", "square", "triangle", "diamond", "star", "cross", "wye", "times"];
const look = {style: {fontSize: "12px", background: "transparent", overflow: "visible"}};
const colourOf = (domain) => ({domain, range: domain.map((_, place) => colours[place % colours.length])});
const symbolOf = (domain) => ({domain, range: domain.map((_, place) => symbols[(place + Math.floor(place / colours.length)) % symbols.length])});

const letter = 6.6, lineHeight = 14;

// A name in lines of at most `most` letters, which end where one of its words does.
function wrapped(name, most) {
  const lines = [""];
  for (const part of name.split(/(?<=[\s_:/,=.])(?=[^\s_:/,=.])/))
    if (lines[lines.length - 1].length + part.trimEnd().length <= most || lines[lines.length - 1] === "") lines[lines.length - 1] += part;
    else lines.push(part);
  return lines;
}

// The bands of a chart, with their names to the left of them; where that takes too much of the width, above them, and then
// what is drawn in a band is `down` pixels below its middle.
function bands(names, width, band) {
  const room = 24 + letter * Math.max(8, ...names.map((name) => name.length));
  const y = {domain: names, label: null, paddingInner: 0.1, paddingOuter: 0.1};
  if (room <= width * 0.4) return {y, marginLeft: room, step: band, down: 0, inset: 0, marks: []};
  const texts = new Map(names.map((name) => [name, wrapped(name, Math.floor((width - 20) / letter))]));
  const high = lineHeight * Math.max(...[...texts.values()].map((lines) => lines.length));
  const step = band + high;
  return {y: {...y, axis: null}, marginLeft: 8, step, down: high / 2, inset: high, marks: [
    Plot.text(names, {y: (name) => name, frameAnchor: "left", textAnchor: "start", lineAnchor: "top", dx: -4, dy: -0.45 * step,
      text: (name) => texts.get(name).join("\n"), className: "mark-name"})]};
}

// Which unit an axis of times is in.
function timeUnit(largest) {
  if (largest < 1e-3) return [1e6, "ns"];
  if (largest < 1) return [1e3, "us"];
  return largest < 1e3 ? [1, "ms"] : [1e-3, "s"];
}

const told = (row) => [row.rung + (row.peer ? " (peer)" : ""), duration(row.median) +
  ` (${duration(row.low)} to ${duration(row.high)}), ${row.samples.length} samples`,
  row.speedup > 0 ? times(row.speedup) + ", " + row.verdict : "", row.share ? percent(row.share) + " of " + row.roof : "",
  row.flops ? prefixed(row.flops, "FLOP/s") : "", row.bandwidth ? prefixed(row.bandwidth, "B/s") : ""].filter(Boolean).join("\n");

// Rungs from the baseline down, peers last: median with its interval, and the floor that the roof allows.
export function ladder(entry, width) {
  const rows = entry.rows.filter(timed);
  const names = rows.map((row) => row.rung);
  const {y, marginLeft, step, down, inset, marks} = bands(names, width, 26);
  const most = Math.max(...rows.map((row) => row.high)), least = Math.min(...rows.map((row) => row.low));
  const [scale, unit] = timeUnit(most);
  const log = most / least > 40;  // else the short bars could not be told apart
  const floor = rows.find((row) => row.floor)?.floor;
  const at = (value) => value * scale;
  const kind = (row) => (row.peer ? "peer" : "rung");
  return Plot.plot({...look, width, height: 46 + step * rows.length, marginLeft, marginRight: 74, y, marginBottom: 34,
    ariaLabel: "ladder of " + entry.target + " " + entry.size,
    x: {label: "median time in " + unit, type: log ? "log" : "linear", grid: true, ...(log ? {} : {domain: [0, at(most) * 1.02]})},
    color: {...colourOf(["rung", "peer"]), legend: false},
    marks: [...marks,
      log ? Plot.dot(rows, {x: (row) => at(row.median), y: "rung", dy: down, fill: kind, symbol: kind, r: 5, className: "mark-rung"})
          : Plot.barX(rows, {x: (row) => at(row.median), y: "rung", fill: kind, fillOpacity: 0.85, insetTop: 3 + inset, insetBottom: 3, className: "mark-rung"}),
      Plot.link(rows, {x1: (row) => at(row.low), x2: (row) => at(row.high), y1: "rung", y2: "rung", dy: down, stroke: "currentColor", strokeWidth: 3, className: "mark-interval"}),
      floor ? Plot.ruleX([at(floor)], {stroke: "var(--bad)", strokeDasharray: "5 3", strokeWidth: 2, className: "mark-floor"}) : null,
      Plot.text(rows, {x: (row) => at(row.high), y: "rung", dx: 6, dy: down, textAnchor: "start", text: (row) => (row.speedup > 0 ? times(row.speedup) : duration(row.median))}),
      Plot.tip(rows, Plot.pointerY({x: (row) => at(row.median), y: "rung", title: told})),
    ]});
}

// What a simulated run has in place of times: the count in which the idea appears, from the baseline down.
export function counts(entry, width) {
  const rows = entry.rows.filter(counted).map((row) => {
    const [, value, text] = row.counts.find((count) => count[0] === entry.shows.count) ?? [];
    return {rung: row.rung, kind: row.peer ? "peer" : "rung", value, text, idea: row.idea};
  }).filter((row) => row.value !== undefined);
  const {y, marginLeft, step, down, inset, marks} = bands(rows.map((row) => row.rung), width, 26);
  const unit = rows.find((row) => row.value > 0)?.text.replace(/^[^a-zA-Z%]*/, "").replace(/^[kMGTP](?=B)/, "") ?? "";
  return Plot.plot({...look, width, height: 46 + step * rows.length, marginLeft, marginRight: 74, y, marginBottom: 34,
    ariaLabel: `${entry.shows.count} of ${entry.target} ${entry.size}`,
    x: {label: entry.shows.count + (unit && unit !== "B" ? " in " + unit : ""), grid: true, ticks: Math.max(2, width / 120), tickFormat: unit === "B" ? (value) => tick(value, "B") : (value) => precise(value), domain: [0, Math.max(...rows.map((row) => row.value)) * 1.02 || 1]},
    color: {...colourOf(["rung", "peer"]), legend: false},
    marks: [...marks,
      Plot.barX(rows, {x: "value", y: "rung", fill: "kind", fillOpacity: 0.35, stroke: "kind", strokeDasharray: "4 3", insetTop: 3 + inset, insetBottom: 3, className: "mark-rung"}),
      Plot.text(rows, {x: "value", y: "rung", dx: 6, dy: down, textAnchor: "start", text: "text"}),
      Plot.tip(rows, Plot.pointerY({x: "value", y: "rung", title: (row) => row.rung + "\n" + row.idea})),
    ]});
}

// Every sample as a tick; the median with its interval above them.
export function distribution(entry, width) {
  const rows = entry.rows.filter(timed);
  const samples = rows.flatMap((row) => row.samples.map((ms, place) => ({row, ms, place})));
  const [scale, unit] = timeUnit(Math.max(...samples.map((sample) => sample.ms)));
  const {y, marginLeft, step, down, inset, marks} = bands(rows.map((row) => row.rung), width, 30);
  const values = samples.map((sample) => sample.ms);
  const log = Math.max(...values) / Math.min(...values) > 8;
  return Plot.plot({...look, width, height: 46 + step * rows.length, marginLeft, marginRight: 20, y, marginBottom: 34,
    ariaLabel: "samples of " + entry.target + " " + entry.size,
    x: {label: "time of one run in " + unit, grid: true, type: log ? "log" : "linear", nice: !log},
    marks: [...marks,
      Plot.tickX(samples, {x: (sample) => sample.ms * scale, y: (sample) => sample.row.rung, stroke: (sample) => (sample.row.peer ? colours[1] : colours[0]),
        strokeOpacity: 0.45, insetTop: 4 + inset, insetBottom: 4, className: "mark-sample"}),
      Plot.link(rows, {x1: (row) => row.low * scale, x2: (row) => row.high * scale, y1: "rung", y2: "rung", dy: down, stroke: "currentColor", strokeWidth: 4, className: "mark-interval"}),
      Plot.dot(rows, {x: (row) => row.median * scale, y: "rung", dy: down, r: 4, fill: "var(--ground)", stroke: "currentColor", strokeWidth: 2, className: "mark-median"}),
      Plot.tip(rows, Plot.pointerY({x: (row) => row.median * scale, y: "rung", title: told})),
    ]});
}

function roofLines(device, low, high) {
  const memory = device.roofs.find((roof) => roof.name === "memory")?.rate;
  const units = device.roofs.filter((roof) => roof.flops);
  const best = Math.max(0, ...units.map((roof) => roof.rate));
  const lines = [];
  if (memory) {
    const ridge = best ? best / memory : high;
    lines.push({name: `memory ${prefixed(memory, "B/s")}`, x1: low, y1: low * memory, x2: Math.min(high, ridge), y2: Math.min(high, ridge) * memory});
  }
  for (const roof of units) {
    const from = memory ? Math.max(low, roof.rate / memory) : low;
    if (from < high) lines.push({name: `${roof.name} ${prefixed(roof.rate, "FLOP/s")}`, x1: from, y1: roof.rate, x2: high, y2: roof.rate});
  }
  return lines;
}

// Points {x: flop/byte, y: FLOP/s, group, title} under the roofs of their device.
export function roofline(device, points, width, {xLabel = "operations per byte that the function needs", joined = false} = {}) {
  const groups = unique(points.map((point) => point.group));
  const xs = points.map((point) => point.x), ys = points.map((point) => point.y);
  const memory = device.roofs.find((roof) => roof.name === "memory")?.rate;
  const ridges = memory ? device.roofs.filter((roof) => roof.flops).map((roof) => roof.rate / memory) : [];
  const low = Math.min(...xs, ...ridges) / 3, high = Math.max(...xs, ...ridges) * 3;
  const lines = roofLines(device, low, high);
  const top = Math.max(...ys, ...lines.map((line) => line.y2)) * 1.8, bottom = Math.min(...ys) / 2;
  const shown = lines.filter((line) => line.y2 >= bottom).map((line) => (line.y1 >= bottom ? line : {...line, x1: line.x1 * bottom / line.y1, y1: bottom}));
  return Plot.plot({...look, width, height: Math.min(480, 200 + width * 0.35), marginLeft: 62, marginRight: 16, marginBottom: 40,
    ariaLabel: "roofline of " + device.name,
    x: {type: "log", domain: [low, high], label: xLabel, grid: true, tickFormat: (value) => precise(value, 2)},
    y: {type: "log", domain: [bottom, top], label: "TFLOP/s", grid: true, tickFormat: (value) => precise(value / 1e12, 2), ticks: 6},
    color: {...colourOf(groups), legend: true}, symbol: {...symbolOf(groups), legend: false},
    marks: [
      Plot.link(shown, {x1: "x1", y1: "y1", x2: "x2", y2: "y2", stroke: "currentColor", strokeWidth: 1.8, className: "mark-roof"}),
      Plot.text(shown, {x: "x2", y: "y2", text: "name", textAnchor: "end", dy: -7, dx: -2, fontSize: 11}),
      joined ? Plot.line(points, {x: "x", y: "y", z: "line", stroke: "group", strokeOpacity: 0.5}) : null,
      Plot.dot(points, {x: "x", y: "y", stroke: "group", fill: "group", fillOpacity: 0.35, symbol: "group", r: 5, className: "mark-point"}),
      joined ? Plot.text(points, {x: "x", y: "y", text: "level", dy: -11, fontSize: 10}) : null,
      Plot.tip(points, Plot.pointer({x: "x", y: "y", title: "title"})),
    ]});
}

// How much faster (right) or slower (left) the second run is, with its interval.
export function comparison(rows, width) {
  const names = rows.map((row) => row.label);
  const {y, marginLeft, step, down, marks} = bands(names, width, 20);
  const colour = {faster: "var(--c2)", slower: "var(--c1)", same: "var(--c6)", ambiguous: "var(--c3)"};
  const shape = {faster: "triangle", slower: "diamond", same: "circle", ambiguous: "cross"};
  return Plot.plot({...look, width, height: 50 + step * rows.length, marginLeft, marginRight: 30, marginBottom: 36, y,
    ariaLabel: "ratio of the two runs",
    x: {type: "log", label: width > 560 ? "time of the first run / time of the second; right of 1 the second is faster" : "A / B; right of 1 B is faster", grid: true, tickFormat: (value) => precise(value, 3)},
    marks: [...marks,
      Plot.ruleX([1], {stroke: "currentColor", strokeWidth: 1.5}),
      Plot.link(rows, {x1: "low", x2: "high", y1: "label", y2: "label", dy: down, stroke: (row) => colour[row.verdict], strokeWidth: 3, className: "mark-interval"}),
      ...Object.keys(colour).map((verdict) => Plot.dot(rows.filter((row) => row.verdict === verdict),
        {x: "ratio", y: "label", dy: down, fill: colour[verdict], symbol: shape[verdict], r: 5, className: "mark-ratio"})),
      Plot.tip(rows, Plot.pointerY({x: "ratio", y: "label", title: (row) => `${row.label}\n${duration(row.a)} to ${duration(row.b)}\n${precise(row.ratio)} (${precise(row.low)} to ${precise(row.high)}), ${row.verdict}`})),
    ]});
}

// Medians from run to run, one line for each rung; a diamond is a regression.
export function history(series, width) {
  const points = series.flatMap((line) => line.points.map((point) => ({...point, rung: line.rung, at: new Date(point.started)})));
  const names = unique(series.map((line) => line.rung));
  const [scale, unit] = timeUnit(Math.max(...points.map((point) => point.median)));
  const values = points.map((point) => point.median);
  const log = Math.max(...values) / Math.min(...values) > 12;
  const bad = points.filter((point) => point.regression);
  return Plot.plot({...look, width, height: 300, marginLeft: 56, marginRight: 16, marginBottom: 36, ariaLabel: "medians from run to run",
    x: {type: "utc", label: "run", nice: true}, y: {label: "median in " + unit, grid: true, type: log ? "log" : "linear", zero: !log},
    color: {...colourOf(names), legend: true}, symbol: {...symbolOf(names), legend: false},
    marks: [
      Plot.line(points, {x: "at", y: (point) => point.median * scale, z: "rung", stroke: "rung", strokeWidth: 1.6}),
      Plot.link(points, {x1: "at", x2: "at", y1: (point) => point.low * scale, y2: (point) => point.high * scale, stroke: "rung", strokeWidth: 2, className: "mark-interval"}),
      Plot.dot(points, {x: "at", y: (point) => point.median * scale, stroke: "rung", fill: "rung", symbol: "rung", r: 4, className: "mark-run"}),
      Plot.dot(bad, {x: "at", y: (point) => point.median * scale, symbol: "diamond", r: 10, stroke: "var(--bad)", strokeWidth: 2.5, className: "mark-regression"}),
      Plot.tip(points, Plot.pointer({x: "at", y: (point) => point.median * scale, title: (point) =>
        `${point.rung}\n${duration(point.median)}\n${point.run}\n${point.commit}${point.regression ? "\nregression: " + percent(point.regression) + " slower" : ""}`})),
    ]});
}

// What a sweep shows of its rows: their rate, their time where there is none, and the count that shows the idea where nothing
// was timed.
function sweepValue(result, rows) {
  if (result.simulated)
    return {label: result.count, value: (row) => row.value, linear: true, text: (row) => row.text, good: (row) => (result.more ? row.value : -row.value)};
  const good = (row) => 1 / row.median * (row.flops || row.bytes || 1);
  const rate = rows.every((row) => row.flops > 0) ? ["TFLOP/s", (row) => row.flops / row.median / 1e9]
    : rows.every((row) => row.bytes > 0) ? ["GB/s", (row) => row.bytes / row.median / 1e6] : null;
  if (rate) return {label: rate[0], value: rate[1], linear: true, good, text: (row) => `${duration(row.median)}, ${rate[0]}: ${precise(rate[1](row))}`};
  const [scale, unit] = timeUnit(Math.max(...rows.map((row) => row.median)));
  return {label: "median in " + unit, value: (row) => row.median * scale, linear: false, good, text: (row) => duration(row.median)};
}

// One panel of a sweep over two axes or more: a full cell is a fast one, the fastest has a frame. Shades are those of
// all panels.
export function heat(result, rows, width) {
  const {label, value, text, good: speed} = sweepValue(result, rows);
  const speeds = result.rows.map(speed);
  const best = rows.reduce((a, b) => speed(b) > speed(a) ? b : a);
  const along = (axis) => unique(rows.map((row) => row[axis])).sort((a, b) => a - b);
  const [xs, ys] = [along("x"), along("y")];
  const said = (row) => `${row.line}\n${result.axes[0]} = ${row.x}\n${result.axes[1]} = ${row.y}\n${text(row)}\nbound: ${row.bound || "unknown"}`;
  return Plot.plot({...look, width: Math.min(width, 90 + 74 * xs.length), height: 70 + 30 * ys.length, marginLeft: 70, marginTop: 34, marginBottom: 10, padding: 0.05,
    ariaLabel: `${label} of ${result.target} over ${result.axes[0]} and ${result.axes[1]}`,
    x: {type: "band", domain: xs, label: result.axes[0], axis: "top", tickFormat: (number) => precise(number)},
    y: {type: "band", domain: ys, label: result.axes[1], tickFormat: (number) => precise(number)},
    // Faint enough at its fullest for the number that stands on it, in light as in dark.
    opacity: {domain: [Math.min(...speeds), Math.max(...speeds)], range: [0.04, 0.5], unknown: 0.5},
    marks: [
      Plot.cell(rows, {x: "x", y: "y", fill: colours[0], fillOpacity: speed, className: "mark-cell"}),
      Plot.cell([best], {x: "x", y: "y", stroke: "currentColor", strokeWidth: 2, className: "mark-best"}),
      Plot.text(rows, {x: "x", y: "y", text: (row) => (result.simulated ? text(row) : precise(value(row)))}),
      Plot.tip(rows, Plot.pointer({x: "x", y: "y", title: said})),
    ]});
}

// Rate, or time where there is none, along the first axis; a diamond is where another bound begins.
export function sweep(result, rows, width) {
  const {label, value, linear, text} = sweepValue(result, rows);
  const names = unique(rows.map((row) => row.line));
  const xs = unique(rows.map((row) => row.x)).sort((a, b) => a - b);
  const log = xs.length > 2 && xs[xs.length - 1] / xs[0] >= 8;
  const many = (row) => `${row.line}\n${result.axes[0]} = ${row.x}\n${text(row)}\nbound: ${row.bound || "unknown"}`;
  return Plot.plot({...look, width, height: 340, marginLeft: 60, marginRight: 20, marginBottom: 40, ariaLabel: "sweep of " + result.target,
    x: {type: log ? "log" : "linear", base: 2, label: result.axes[0], ticks: xs.length <= 12 ? xs : undefined, tickFormat: (number) => precise(number)},
    y: {label, grid: true, zero: linear, type: linear ? "linear" : "log", ...(result.simulated && rows[0]?.text.endsWith("B") ? {tickFormat: (number) => tick(number, "B")} : {})},
    color: {...colourOf(names), legend: true}, symbol: {...symbolOf(names), legend: false},
    marks: [
      Plot.line(rows, {x: "x", y: value, z: "line", stroke: "line", strokeDasharray: result.simulated ? "5 4" : null}),
      Plot.dot(rows, {x: "x", y: value, stroke: "line", fill: "line", fillOpacity: 0.3, symbol: "line", r: 4, className: "mark-point"}),
      Plot.dot(rows.filter((row) => row.before), {x: "x", y: value, symbol: "diamond", r: 10, stroke: "currentColor", strokeWidth: 2, className: "mark-bound"}),
      Plot.text(rows.filter((row) => row.before), {x: "x", y: value, dy: -16, text: (row) => row.bound, fontSize: 10}),
      Plot.tip(rows, Plot.pointer({x: "x", y: value, title: many})),
    ]});
}

// Shares of a whole with their names: stalls by cause, use of the pipes.
export function shares(list, width, label, kind) {
  const {y, marginLeft, step, down, inset, marks} = bands(list.map((item) => item.name), width, 20);
  return Plot.plot({...look, width, height: 44 + step * list.length, marginLeft, marginRight: 46, marginBottom: 34, y, ariaLabel: label,
    x: {label, grid: true, domain: [0, Math.max(10, ...list.map((item) => item.value)) * 1.05]},
    marks: [...marks,
      Plot.barX(list, {x: "value", y: "name", fill: colours[0], insetTop: 2 + inset, insetBottom: 2, className: "mark-" + kind}),
      Plot.text(list, {x: "value", y: "name", dx: 4, dy: down, textAnchor: "start", text: (item) => precise(item.value, 3)}),
    ]});
}
