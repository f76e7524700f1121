// The sections of the page about what was measured: each returns its elements for what the filters keep.
import {command, choice, figure, make, simulatedChip} from "./dom.js";
import {counted, duration, joined, percent, precise, prefixed, times} from "./format.js";
import {cell, counted as wasCounted, data, deviceName, entriesShown, grouped, rowsShown, timed, unique} from "./data.js";
import {table} from "./table.js";
import * as charts from "./charts.js";

const verdictCss = (row) => ({faster: "good", slower: "bad", ambiguous: "warn"}[row.verdict] ?? "");
const statusWord = (row) => (row.of.simulated && row.status === "measured" ? "simulated" : row.status);
const checkOf = (row) => row.check ?? cell(row, "check");
const rungColumn = {name: "rung", cell: (row) => row.rung + (row.peer ? " (peer)" : ""), wide: true, whole: true};
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
    card(regressions.length, "worse than expected", regressions.length ? "bad" : "good"),
    card(rows.filter((row) => row.status === "skipped").length, "skipped"),
    gains.length ? card(times(gains.sort((a, b) => b.speedup - a.speedup)[0].speedup), `most gained: ${gains[0].of.target} ${gains[0].rung}`) : null)];
  for (const run of data.runs)
    if (run.verdict) shown.push(make("p", {class: run.exit ? "bad" : ""}, run.on?.simulated ? simulatedChip() : null, `${run.id}: ${run.verdict}`));
  // What was counted has other columns than what was measured.
  const [simulated, measured] = [true, false].map((wanted) => rows.filter((row) => row.of.simulated === wanted));
  const names = [
    {name: "target", cell: (row) => row.of.target, wide: true},
    {name: "size", cell: (row) => row.of.size, wide: true},
    rungColumn,
    {name: "status", cell: statusWord, css: (row) => (isBad(row) ? "bad" : row.of.simulated ? "warn" : "")},
    {name: "check", number: true, value: (row) => (checkOf(row) ? Number(checkOf(row)) : ""), cell: checkOf}];
  const more = (members, several = unique(members.map((row) => row.of.of.device)).length > 1) => [
    {name: "expected", number: true, value: (row) => row.expected?.ratio ?? row.expected?.kind ?? "", cell: (row) => (row.expected ? [row.expected.ms && duration(row.expected.ms), row.expected.kind].filter(Boolean).join(" ") : ""), css: (row) => (row.expected?.kind === "regression" ? "bad" : "")},
    {name: "device", cell: (row) => (several ? deviceName(row.of.of.on) : ""), wide: true},
    {name: "note", cell: (row) => [row.reason, row.note].filter(Boolean).join("; "), wide: true}];
  if (measured.length || !simulated.length) shown.push(table(measured, [...names,
    {name: "median", number: true, value: (row) => row.median ?? "", cell: (row) => cell(row, "median")},
    {name: "interval", number: true, value: (row) => (timed(row) ? (row.high - row.low) / row.median : ""), cell: (row) => cell(row, "interval")},
    {name: "speed-up", number: true, value: (row) => row.speedup || "", cell: (row) => cell(row, "speed-up")},
    {name: "verdict", cell: (row) => cell(row, "verdict"), css: verdictCss},
    {name: "GB/s", number: true, value: (row) => row.bandwidth ?? "", cell: (row) => cell(row, "GB/s")},
    {name: "TFLOP/s", number: true, value: (row) => row.flops ?? "", cell: (row) => cell(row, "TFLOP/s")},
    {name: "% of roof", number: true, value: (row) => row.share ?? "", cell: (row) => cell(row, "% of roof")},
    ...more(measured)], {id: "overview"}));
  if (simulated.length) shown.push(table(simulated, [...names, {name: "the idea", cell: (row) => joined(row.idea ?? ""), wide: true}, ...more(simulated)], {id: "simulated", marks: () => "simulated"}));
  return shown;
}

// The count in which the idea appears comes first: the others may be out of sight behind it.
function countsTable(entry) {
  const isIdea = (name) => name === entry.shows?.count;
  const names = unique(entry.rows.flatMap((row) => (row.counts ?? []).map((count) => count[0]))).sort((a, b) => isIdea(b) - isIdea(a));
  if (!names.length) return null;
  const of = (row, name) => row.counts.find((count) => count[0] === name) ?? [];
  return table(entry.rows.filter(wasCounted), [
    rungColumn,
    {name: "the idea", cell: (row) => joined(row.idea ?? ""), wide: true},
    {name: "check", number: true, value: (row) => Number(checkOf(row)), cell: checkOf},
    ...names.map((name) => ({name, number: true, value: (row) => of(row, name)[1], cell: (row) => of(row, name)[2] ?? ""})),
  ], {id: "counts", what: "rung"});
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

// One target at a time; of its sizes one is drawn: at first one at which a simulated rung shows the idea.
function perTarget(members, content) {
  const groups = grouped(members, (entry) => entry.target + "\n" + entry.of.device);
  return [...groups.values()].map((entries) => {
    const {target, simulated} = entries[0];
    const holder = make("div");
    const show = (place) => holder.replaceChildren(...content(entries[place]).flat().filter(Boolean));
    const first = Math.max(0, entries.findIndex((entry) => entry.rows.some((row) => row.shown)));
    show(first);
    const several = unique(entries.map((entry) => entry.run)).length > 1;
    return make("section", {"data-target": target}, make("h3", {}, simulated ? simulatedChip() : null, target),
      entries.length > 1 ? make("div", {class: "filters no-print"}, choice("size", entries.map((entry, place) => [String(place), entry.size + (several ? ", run " + entry.of.id : "")]), String(first), (value) => show(Number(value)))) : null, holder);
  });
}

const heading = (entry) => `${entry.target} ${entry.size} on ${deviceName(entry.of.on)}, run ${entry.of.id}. `;

// A simulated run is drawn in the count that shows the idea, and not at all where none does.
function countedLadder(entry) {
  if (!entry.shows)
    return make("p", {"data-nowhere": true}, `${entry.size}: no count shows it${entry.nowhere ? ": " + entry.nowhere : ", or this aisp does not have the target"}. A GPU measures it.`);
  return figure("counts", [heading(entry), `Bars are the count in which the idea appears, ${entry.shows.count}: ${entry.shows.more ? "more" : "less"} is better. Nothing was timed.`], true,
    (width) => charts.counts(entry, width));
}

export const ladders = () => perTarget(entriesShown().filter((entry) => entry.rows.some((row) => timed(row) || wasCounted(row))), (entry) => [
  entry.simulated ? countedLadder(entry) : figure("ladder", [heading(entry),
    `Bars are medians, the thick line the 95 % interval, the dashed line the least time that the roof allows; numbers are speed-ups over ${entry.rows[0].rung}.`], false, (width) => charts.ladder(entry, width)),
  entry.simulated ? countsTable(entry) : null, command(entry.command)]);

export const distributions = () => perTarget(entriesShown().filter((entry) => entry.rows.some(timed)), (entry) => [
  figure("distribution", [heading(entry), `Every tick is one timed run, ${entry.rows.filter(timed).reduce((sum, row) => sum + row.samples.length, 0)} in all; the ring is the median.`], false,
    (width) => charts.distribution(entry, width)),
  ...entry.rows.map(explained).filter(Boolean).map((text) => make("p", {class: "quiet"}, text))]);

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
    ? "No roofs are known for these devices: run aisp doctor --measure there, then measure again." : "The filters keep nothing that was measured.")];
}

// Two simulated runs: what was counted, and no time.
function countedComparison(compared) {
  const css = (row) => ({better: "good", worse: "bad"}[row.verdict] ?? "");
  return [
    make("p", {}, simulatedChip(), `A is ${compared.a}, B is ${compared.b}: ${counted(compared.rungs, "rung")} in both, ${compared.worse} count more in B. Waits and overlap are shown and not judged; equal counts are left out.`),
    compared.rows.length ? table(compared.rows, [
      {name: "entry", cell: (row) => row.entry, wide: true}, {name: "rung", cell: (row) => row.rung, wide: true}, {name: "count", cell: (row) => row.count},
      {name: "A", number: true, cell: (row) => row.a}, {name: "B", number: true, cell: (row) => row.b},
      {name: "change", number: true, value: (row) => row.ratio, cell: (row) => row.change}, {name: "verdict", cell: (row) => row.verdict, css},
    ], {id: "comparison", what: "change"}) : make("p", {class: "good"}, "Every count is the same.")];
}

export function comparison() {
  const compared = data.compare;
  if (compared.note) return [make("p", {class: "warn"}, compared.note)];
  if (compared.simulated) return countedComparison(compared);
  const rows = compared.rows.map((row) => ({...row, label: `${row.entry} ${row.rung}`})).sort((a, b) => Math.abs(Math.log(b.ratio)) - Math.abs(Math.log(a.ratio)));
  const count = (verdict) => rows.filter((row) => row.verdict === verdict).length;
  const charted = rows.slice(0, 40);
  return [
    make("p", {}, `A is ${compared.a}, B is ${compared.b}: ${counted(rows.length, "rung")} in both; in B ${count("faster")} are faster, ${count("slower")} slower, ${count("same")} the same, ${count("ambiguous")} ambiguous. Differences below 3 % are not told apart between runs.`),
    figure("comparison", rows.length > charted.length ? `The ${charted.length} largest changes of ${rows.length}.` : "Largest change first.", false, (width) => charts.comparison(charted, width)),
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
      false, (width) => charts.history(members, width)));
  };
  show(0);
  return [make("p", {}, counted(groups.reduce((sum, members) => sum + regressed(members), 0), "regression") + ` in ${counted(groups.length, "history", "histories")}; those with regressions come first.`),
    make("div", {class: "filters no-print"}, choice("size and hardware", groups.map((members, place) => [String(place), `${members[0].entry}, ${members[0].hardware}${regressed(members) ? " (" + counted(regressed(members), "regression") + ")" : ""}`]), "0", (value) => show(Number(value)))), holder];
}

// A map for each rung and each value of the axes beyond the second.
function panelsOf(result, rows) {
  if (result.axes.length < 2) return [];
  return [...grouped(rows, (row) => row.rung + "\n" + row.panel).values()].map((members) =>
    figure("heat", [members[0].rung, members[0].panel].filter(Boolean).join(", ") + (result.simulated ? `: ${result.count}; a full cell is a good one, the best is framed.` : ": a full cell is a fast one, the fastest is framed."), result.simulated, (width) => charts.heat(result, members, width)));
}

// A simulated sweep is drawn in the count that shows the idea: without one there is no figure.
export const hasSweepFigure = () => data.sweeps.some((result) => !result.nowhere);

export function sweeps() {
  return data.sweeps.filter((result) => entriesShown().some((entry) => entry.run === result.run)).map((result) => {
    const rows = result.rows.map((row) => ({...row, line: row.rung + (row.rest ? ", " + row.rest : "")}));
    return make("section", {"data-target": result.target}, make("h3", {}, result.simulated ? simulatedChip() : null, `${result.target} over ${result.axes.join(", ")}`),
      result.nowhere ? make("p", {"data-nowhere": true}, `No count shows it: ${result.nowhere}.`)
        : figure("sweep", `${deviceName(data.runs[result.run].on)}, run ${data.runs[result.run].id}: ${result.simulated ? result.count + ", the count in which the idea appears; " : ""}a diamond is where another bound begins.`, result.simulated, (width) => charts.sweep(result, rows, width)),
      panelsOf(result, rows),
      command(data.runs[result.run].command));
  });
}
