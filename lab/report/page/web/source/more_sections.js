// The sections about why: timelines, profiles, findings; and about where it came from.
import {choice, command, figure, make, simulatedChip} from "./dom.js";
import {counted, duration, precise, prefixed} from "./format.js";
import {data, deviceName, keeps} from "./data.js";
import {table} from "./table.js";
import {timeline} from "./timeline.js";
import * as charts from "./charts.js";

export function timelines() {
  // The program sorts them: the most overlap first. What was measured comes before what was simulated.
  const traces = data.traces.filter((trace) => keeps(trace.of.of)).sort((a, b) => Boolean(a.simulated) - Boolean(b.simulated));
  if (!traces.length) return [];
  const holder = make("div");
  const name = (trace) => `${trace.of.of.target} ${trace.of.of.size} ${trace.of.rung}`;
  const show = (place) => {
    const trace = traces[place];
    holder.replaceChildren(trace.problem || !trace.intervals.length
      ? make("p", {class: "warn"}, `${name(trace)}: ${trace.problem || "the trace holds no interval"}`)
      : figure("timeline", [`${name(trace)} on ${deviceName(trace.of.of.of.on)}. `, trace.simulated ? "The schedule of the simulator: it shows order and overlap; lengths are estimated from instruction counts. " : "One run under the tracer, not one of the timed ones. ",
          "Hatched: the device did nothing."], trace.simulated, (width) => timeline(trace, width)));
  };
  show(0);
  return [traces.length > 1 ? make("div", {class: "filters no-print"}, choice("trace", traces.map((trace, place) => [String(place), name(trace)]), "0", (value) => show(Number(value)))) : null, holder];
}

const counterText = (counter) => counter[2] === "B" || counter[2] === "B/s" || counter[2] === "FLOP" ? prefixed(counter[1], counter[2]) : precise(counter[1], 4) + (counter[2] ? " " + counter[2] : "");

const counterColumns = [{name: "counter", cell: (row) => row[0]}, {name: "value", number: true, value: (row) => row[1], cell: counterText}];

function kernel(profile, item) {
  const device = profile.of.of.of.on;
  const simulated = Boolean(device?.simulated);
  const parts = [make("p", {}, `grid ${item.grid.join("x")}, block ${item.block.join("x")}, ${item.registers} registers, ${item.shared} B shared, ${item.local} B local${item.us > 0 ? ", " + duration(item.us * 1e-3) : ""}${item.limit ? "; occupancy limited by " + item.limit : ""}`)];
  if (item.counters.length) parts.push(table(item.counters, counterColumns, {id: "counters", what: "counter"}));
  const charted = [];
  if (item.pipes.length) charted.push(figure("pipes", "How busy each pipe was while the kernel ran.", simulated, (width) => charts.shares(item.pipes, width, "% of its peak", "pipe")));
  if (item.stalls.length) charted.push(figure("stalls", "Why warps did not issue: per cent of their time between two instructions.", simulated, (width) => charts.shares(item.stalls, width, "% of warp time", "stall")));
  if (charted.length) parts.push(make("div", {class: "two"}, charted));
  if (item.lines.length) parts.push(table(item.lines, [{name: "source", cell: (row) => row.file + ":" + row.line, wide: true}, {name: "% of samples", number: true, value: (row) => row.share, cell: (row) => precise(row.share, 3)},
    {name: "stalled by", cell: (row) => row.stall}, {name: "text", cell: (row) => make("code", {text: row.text})}], {id: "lines", what: "source line"}));
  return make("details", {"data-kernel": true}, make("summary", {}, item.name), parts);
}

function hierarchical(profile) {
  const device = profile.of.of.of.on;
  const points = profile.kernels.flatMap((item, place) => item.levels.map((level) => ({x: level.intensity, y: item.flops / (item.us * 1e-6), line: place, level: level.name, group: item.short,
    title: `${item.short}\n${level.name}: ${prefixed(level.bytes, "B")}\n${precise(level.intensity, 3)} flop/byte, ${prefixed(item.flops / (item.us * 1e-6), "FLOP/s")}`})));
  if (!points.length || !device?.roofs?.length) return null;
  return figure("hierarchy", "Hierarchical roofline: the same kernel with the bytes that DRAM, L2 and L1 moved.", false,
    (width) => charts.roofline(device, points, width, {xLabel: "operations per byte moved at that level", joined: true}));
}

export function profiles() {
  return data.profiles.filter((profile) => keeps(profile.of.of)).map((profile) => make("section", {"data-profile": profile.of.rung, "data-target": profile.of.of.target},
    make("h3", {}, profile.of.of.simulated ? simulatedChip() : null, `${profile.of.of.target} ${profile.of.of.size} ${profile.of.rung}`),
    profile.bound ? make("p", {}, make("b", {}, profile.bound)) : null,
    profile.problem ? make("p", {class: "warn"}, profile.problem) : null,
    make("p", {class: "quiet"}, profile.of.of.simulated ? `counted by ${profile.by}; what a GPU counts in another way is left out` : `counted by ${profile.by}, in launches of their own and in none of the timed runs`),
    profile.counters.length ? table(profile.counters, counterColumns, {id: "counters", what: "counter"}) : null,
    hierarchical(profile), profile.kernels.map((item) => kernel(profile, item))));
}

export function findings() {
  return data.findings.map((report) => make("section", {},
    make("h3", {}, simulatedChip(), report.title),
    report.findings.length ? null : make("p", {class: "good"}, "Nothing was found."),
    report.findings.map((item) => make("div", {class: "card", "data-finding": item.rule},
      make("p", {}, make("span", {class: "chip " + (item.severity === "error" ? "bad" : "warn")}, item.severity), make("b", {}, item.rule), " " + item.message),
      make("p", {class: "quiet"}, "kernel ", make("code", {text: item.kernel})),
      make("div", {class: "two"}, item.places.map((place) => make("div", {class: "place"},
        make("div", {}, place.what), make("div", {}, make("code", {text: place.file ? `${place.file}:${place.line}` : place.ptx_line ? `PTX line ${place.ptx_line}` : "on the host"})),
        place.ptx ? make("div", {class: "quiet"}, make("code", {text: place.ptx})) : null))),
      item.why ? make("p", {}, item.why) : null, item.fix ? make("p", {}, "What orders them: " + item.fix) : null,
      item.replay ? command(item.replay) : null))));
}

export function environment() {
  return data.runs.map((run) => {
    const device = run.on ?? {};
    const facts = [["run", run.id], ["started", run.started], ["ended", run.finished ? `${run.finished}, ${run.status}` : "never: killed, or still running"], ["commit", `${run.commit} (aisp ${run.version})`],
      ["device", device.name], ["multiprocessors", device.multiprocessors], ["driver and runtime", [device.driver, device.runtime].filter(Boolean).join(", ")], ["host", device.host], ["system", device.system], ["processor", device.processor],
      ["timer", run.timer], ["L2", run.l2], ["seed", run.seed], ["roofs", (device.roofs ?? []).map((roof) => `${roof.name} ${prefixed(roof.rate, roof.flops ? "FLOP/s" : "B/s")}`).join(", ")], ["warning", run.warning]];
    return make("section", {"data-run": run.id}, make("h3", {}, device.simulated ? simulatedChip() : null, run.id),
      make("div", {class: "scroll", tabindex: "0"}, make("table", {}, make("tbody", {}, facts.filter(([, value]) => value !== undefined && value !== "" && value !== null).map(([name, value]) => make("tr", {}, make("th", {scope: "row"}, name), make("td", {class: "name"}, String(value))))))),
      command(run.command));
  }).concat(data.runs.length ? [] : [make("p", {class: "quiet"}, counted(0, "run"))]);
}
