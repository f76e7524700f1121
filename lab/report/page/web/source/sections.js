// The sections of the page about what was measured: each returns its elements for what the filters keep.
import {command, choice, figure, make, simulatedChip} from "./dom.js";
import {counted, duration, percent, precise, prefixed, times} from "./format.js";
import {data, deviceName, entriesShown, grouped, rowsShown, timed, unique} from "./data.js";
import {table} from "./table.js";
import * as charts from "./charts.js";

const verdictCss = (row) => ({faster: "good", slower: "bad", ambiguous: "warn"}[row.verdict] ?? "");
const statusWord = (row) => (row.of.simulated && row.status === "measured" ? "simulated" : row.status);
const isBad = (row) => ["wrong", "failed", "refused"].includes(row.status);

export function overview() {
  const rows = rowsShown();
  const regressions = rows.filter((row) => row.expected?.kind === "regression");
  const bad = rows.filter(isBad);
  const best = (entry) => entry.rows.filter((row) => timed(row) && !row.peer).sort((a, b) => b.speedup - a.speedup)[0];
  const card = (number, text, css = "") => make("div", {class: "card"}, make("b", {class: css}, String(number)), text);
  const gains = entriesShown().filter((entry) => !entry.simulated).map(best).filter((row) => row?.speedup > 0);
  const shown = [make("div", {class: "cards"},
    card(rows.length, counted(unique(rows.map((row) => row.of.target)).length, "target") + ", " + counted(unique(rows.map((row) => row.of.run)).length, "run")),
    card(bad.length, "wrong, failed or refused", bad.length ? "bad" : "good"),
    card(regressions.length, "slower than expected", regressions.length ? "bad" : "good"),
    card(rows.filter((row) => row.status === "skipped").length, "skipped"),
    gains.length ? card(times(gains.sort((a, b) => b.speedup - a.speedup)[0].speedup), `most gained: ${gains[0].of.target} ${gains[0].rung}`) : null)];
  for (const run of data.runs)
    if (run.verdict) shown.push(make("p", {class: run.exit ? "bad" : ""}, run.on?.simulated ? simulatedChip() : null, `${run.id}: ${run.verdict}`));
  shown.push(table(rows, [
    {name: "target", cell: (row) => row.of.target, wide: true},
    {name: "size", cell: (row) => row.of.size, wide: true},
    {name: "rung", cell: (row) => row.rung + (row.peer ? " (peer)" : ""), wide: true},
    {name: "status", cell: statusWord, css: (row) => (isBad(row) ? "bad" : row.of.simulated ? "warn" : "")},
    {name: "median", number: true, value: (row) => (timed(row) ? row.median : ""), cell: (row) => (timed(row) ? (row.of.simulated ? "counted " : "") + duration(row.median) : "")},
    {name: "interval", number: true, value: (row) => (timed(row) ? (row.high - row.low) / row.median : ""), cell: (row) => (timed(row) ? `±${(50 * (row.high - row.low) / row.median).toFixed(2)} %` : "")},
    {name: "speed-up", number: true, value: (row) => row.speedup || "", cell: (row) => times(row.speedup)},
    {name: "verdict", cell: (row) => row.verdict ?? "", css: verdictCss},
    {name: "TFLOP/s", number: true, value: (row) => row.flops ?? "", cell: (row) => (row.flops ? precise(row.flops / 1e12, 4) : "")},
    {name: "GB/s", number: true, value: (row) => row.bandwidth ?? "", cell: (row) => (row.bandwidth ? precise(row.bandwidth / 1e9, 4) : "")},
    {name: "% of roof", number: true, value: (row) => row.share ?? "", cell: (row) => percent(row.share)},
    {name: "expected", number: true, value: (row) => row.expected?.ratio ?? "", cell: (row) => (row.expected ? duration(row.expected.ms) + " " + row.expected.kind : ""), css: (row) => (row.expected?.kind === "regression" ? "bad" : "")},
    {name: "device", cell: (row) => deviceName(row.of.of.on), wide: true},
    {name: "note", cell: (row) => [row.reason, row.note].filter(Boolean).join("; "), wide: true},
  ], {id: "overview", marks: (row) => (row.of.simulated ? "simulated" : "")}));
  return shown;
}

function countsTable(entry) {
  const names = unique(entry.rows.flatMap((row) => (row.counts ?? []).map((count) => count[0])));
  if (!names.length) return null;
  return table(entry.rows.filter((row) => row.counts), [
    {name: "rung", cell: (row) => row.rung},
    ...names.map((name, place) => ({name, number: true, value: (row) => row.counts[place]?.[1], cell: (row) => precise(row.counts[place]?.[1], 6)})),
  ], {id: "counts"});
}

// Why the samples give that verdict, by the rule of lab/measure/verdict.hpp.
export function explained(row) {
  if (!timed(row) || !row.verdict || !(row.speedup > 0)) return "";
  const seen = `${times(row.speedup)} (95 % interval ${precise(row.speedup_low)} to ${precise(row.speedup_high)}), p = ${row.p.toPrecision(2)}`;
  const because = {
    faster: "the interval lies above 1, the ratio is at least 1.01 and p is below 0.01",
    slower: "the interval lies below 1, the ratio is at most 1/1.01 and p is below 0.01",
    same: "the interval lies between 1/1.02 and 1.02",
    ambiguous: row.samples.length < 5 ? "fewer than 5 samples" : "the samples neither show a difference of 1 % nor rule one out",
  }[row.verdict];
  return `${row.rung}: ${row.verdict}, ${seen}: ${because}.`;
}

// One target at a time; of its sizes one is drawn.
function perTarget(kind, draw, more) {
  const groups = grouped(entriesShown().filter((entry) => entry.rows.some(timed)), (entry) => entry.target + "\n" + entry.of.device);
  return [...groups.values()].map((entries) => {
    const {target, simulated} = entries[0];
    const holder = make("div");
    const show = (place) => {
      const entry = entries[place];
      holder.replaceChildren(...[figure(kind, [`${entry.target} ${entry.size} on ${deviceName(entry.of.on)}, run ${entry.of.id}. `, ...draw.caption(entry)], simulated, (width) => draw.chart(entry, width)),
        ...more(entry)].flat().filter(Boolean));
    };
    show(0);
    return make("section", {"data-target": target}, make("h3", {}, simulated ? simulatedChip() : null, target),
      entries.length > 1 ? make("div", {class: "filters no-print"}, choice("size", entries.map((entry, place) => [String(place), entry.size + (unique(entries.map((e) => e.run)).length > 1 ? ", run " + entry.of.id : "")]), "0", (value) => show(Number(value)))) : null, holder);
  });
}

export const ladders = () => perTarget("ladder", {
  chart: charts.ladder,
  caption: (entry) => [entry.simulated ? "Counted times are no speed: they show that something changed." : `Bars are medians, the thick line the 95 % interval, the dashed line the least time that the roof allows; numbers are speed-ups over ${entry.rows[0].rung}.`],
}, (entry) => [entry.simulated ? countsTable(entry) : null, command(entry.command)]);

export const distributions = () => perTarget("distribution", {
  chart: charts.distribution,
  caption: (entry) => [`Every tick is one timed run, ${entry.rows.filter(timed).reduce((sum, row) => sum + row.samples.length, 0)} in all; the ring is the median.`],
}, (entry) => entry.rows.map(explained).filter(Boolean).map((text) => make("p", {class: "quiet"}, text)));

export function rooflines() {
  const rows = rowsShown().filter((row) => timed(row) && row.flops && row.of.bytes > 0 && row.of.of.on?.roofs?.length);
  const groups = grouped(rows, (row) => row.of.chapter + "\n" + row.of.of.device);
  const shown = [...groups.values()].map((members) => {
    const device = members[0].of.of.on;
    const points = members.map((row) => ({x: row.of.flops / row.of.bytes, y: row.flops, group: row.of.target, title:
      `${row.of.target} ${row.of.size}\n${row.rung}\n${prefixed(row.flops, "FLOP/s")}, ${precise(row.of.flops / row.of.bytes, 3)} flop/byte\n${duration(row.median)}${row.share ? "\n" + percent(row.share) + " of " + row.roof : ""}`}));
    return figure("roofline", `${members[0].of.chapter} on ${deviceName(device)}: every rung is a point; the lines are the roofs as measured there.`, false, (width) => charts.roofline(device, points, width));
  });
  if (shown.length) return shown;
  return [make("p", {class: "quiet"}, rowsShown().some((row) => timed(row) && !row.of.simulated)
    ? "No roofs are known for these devices: run aisp doctor --measure there, then measure again." : "Nothing here was measured: a simulated run has no roofline.")];
}

export function comparison() {
  const compared = data.compare;
  if (compared.note) return [make("p", {class: "warn"}, compared.note)];
  const rows = compared.rows.map((row) => ({...row, label: `${row.entry} ${row.rung}`})).sort((a, b) => Math.abs(Math.log(b.ratio)) - Math.abs(Math.log(a.ratio)));
  const count = (verdict) => rows.filter((row) => row.verdict === verdict).length;
  const charted = rows.slice(0, 40);
  return [
    make("p", {}, `A is ${compared.a}, B is ${compared.b}: ${counted(rows.length, "rung")} in both; in B ${count("faster")} are faster, ${count("slower")} slower, ${count("same")} the same, ${count("ambiguous")} ambiguous. Differences below 3 % are not told apart between runs.`),
    figure("comparison", rows.length > charted.length ? `The ${charted.length} largest changes of ${rows.length}.` : "Largest change first.", compared.simulated, (width) => charts.comparison(charted, width)),
    table(rows, [
      {name: "entry", cell: (row) => row.entry, wide: true}, {name: "rung", cell: (row) => row.rung, wide: true},
      {name: "median A", number: true, value: (row) => row.a, cell: (row) => duration(row.a)}, {name: "median B", number: true, value: (row) => row.b, cell: (row) => duration(row.b)},
      {name: "A / B", number: true, value: (row) => row.ratio, cell: (row) => row.ratio.toFixed(3)},
      {name: "interval", number: true, value: (row) => row.low, cell: (row) => `${row.low.toFixed(3)} to ${row.high.toFixed(3)}`},
      {name: "verdict", cell: (row) => row.verdict, css: verdictCss},
    ], {id: "comparison"})];
}

export function history() {
  const shown = new Set(entriesShown().map((entry) => entry.target));
  const lines = data.history.filter((line) => shown.has(line.target) || !data.entries.some((entry) => entry.target === line.target));
  const groups = [...grouped(lines, (line) => line.entry + "\n" + line.hardware).values()].filter((members) => members.some((line) => line.points.length > 1));
  if (!groups.length) return [make("p", {class: "quiet"}, "No rung was measured more than once on the same hardware.")];
  const regressed = (members) => members.reduce((sum, line) => sum + line.points.filter((point) => point.regression).length, 0);
  groups.sort((a, b) => regressed(b) - regressed(a));
  const holder = make("div");
  const show = (place) => {
    const members = groups[place];
    holder.replaceChildren(figure("history", `${members[0].entry} on ${members[0].hardware}: medians from run to run with their intervals; a diamond is 5 % or more above the run before it.`,
      members[0].simulated, (width) => charts.history(members, width)));
  };
  show(0);
  return [make("p", {}, counted(groups.reduce((sum, members) => sum + regressed(members), 0), "regression") + ` in ${counted(groups.length, "history", "histories")}; those with regressions come first.`),
    make("div", {class: "filters no-print"}, choice("size and hardware", groups.map((members, place) => [String(place), `${members[0].entry}, ${members[0].hardware}${regressed(members) ? " (" + counted(regressed(members), "regression") + ")" : ""}`]), "0", (value) => show(Number(value)))), holder];
}

// A map for each rung and each value of the axes beyond the second.
function panelsOf(result, rows) {
  if (result.axes.length < 2) return [];
  return [...grouped(rows, (row) => row.rung + "\n" + row.panel).values()].map((members) =>
    figure("heat", [members[0].rung, members[0].panel].filter(Boolean).join(", ") + ": a full cell is a fast one, the fastest is framed.", result.simulated, (width) => charts.heat(result, members, width)));
}

export function sweeps() {
  return data.sweeps.filter((result) => entriesShown().some((entry) => entry.run === result.run)).map((result) => {
    const rows = result.rows.map((row) => ({...row, line: row.rung + (row.rest ? ", " + row.rest : "")}));
    return make("section", {"data-target": result.target}, make("h3", {}, result.simulated ? simulatedChip() : null, `${result.target} over ${result.axes.join(", ")}`),
      figure("sweep", `${deviceName(data.runs[result.run].on)}, run ${data.runs[result.run].id}: a diamond is where another bound begins.`, result.simulated, (width) => charts.sweep(result, rows, width)),
      panelsOf(result, rows),
      command(data.runs[result.run].command));
  });
}
