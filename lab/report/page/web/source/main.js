import {choice, drawAll, make} from "./dom.js";
import {counted} from "./format.js";
import {data, deviceName, filters, timed, unique} from "./data.js";
import * as measured from "./sections.js";
import * as reasons from "./more_sections.js";

const sections = [
  ["overview", "Overview", measured.overview, true],
  ["comparison", "Comparison", measured.comparison, Boolean(data.compare)],
  ["ladders", "Ladders", measured.ladders, data.rows.length > 0],
  ["rooflines", "Rooflines", measured.rooflines, data.rows.some(timed)],
  ["distributions", "Samples", measured.distributions, data.rows.some(timed)],
  ["sweeps", "Sweeps", measured.sweeps, measured.hasSweepFigure()],
  ["history", "History", measured.history, data.history.length > 0],
  ["timelines", "Timelines", reasons.timelines, data.traces.length > 0],
  ["profiles", "Profiles", reasons.profiles, data.profiles.length > 0],
  ["findings", "Findings", reasons.findings, data.findings.length > 0],
  ["environment", "Environment", reasons.environment, true],
].filter((section) => section[3]);

const bodies = new Map();
function fill() {
  for (const [id, , build] of sections) bodies.get(id).replaceChildren(...[build()].flat(2).filter(Boolean));
}

let later = 0;
function refill() {
  cancelAnimationFrame(later);
  later = requestAnimationFrame(fill);
}

function theme(name) {
  document.documentElement.dataset.theme = name;
}

function filterBar() {
  const search = make("input", {type: "search", placeholder: "target or size", oninput: () => { filters.text = search.value; refill(); }});
  const dtypes = unique(data.entries.map((entry) => entry.dtype)).filter(Boolean).sort();
  const pick = (name) => (value) => { filters[name] = value; refill(); };
  return make("div", {class: "filters"}, make("label", {}, "filter", search),
    dtypes.length > 1 ? choice("type", [["", "all"], ...dtypes.map((dtype) => [dtype, dtype])], "", pick("dtype")) : null,
    data.devices.length > 1 ? choice("device", [["", "all"], ...data.devices.map((device, place) => [String(place), deviceName(device)])], "", pick("device")) : null,
    make("button", {type: "button", onclick: () => theme(document.documentElement.dataset.theme === "dark" ? "light" : "dark")}, "light or dark"));
}

const dark = matchMedia("(prefers-color-scheme: dark)");
theme(dark.matches ? "dark" : "light");
dark.addEventListener("change", () => theme(dark.matches ? "dark" : "light"));
document.title = data.title;
const simulated = data.devices.filter((device) => device.simulated).length;
document.getElementById("page").replaceChildren(
  make("header", {}, make("h1", {text: data.title}),
    make("p", {class: "quiet"}, `${counted(data.runs.length, "run")}, ${counted(data.devices.length, "device")}; written ${data.generated} by ${data.generator}`),
    simulated ? make("div", {class: "banner", role: "note"}, simulated === data.devices.length ? "Simulated: nothing on this page was timed. It shows what the simulator counted." : "Some of these results are simulated: they are marked, have charts of their own, and were not timed.") : null,
    ...(data.warnings ?? []).map((line) => make("p", {class: "warn"}, line))),
  make("div", {class: "bar"}, make("nav", {"aria-label": "sections"}, sections.map(([id, name]) => make("a", {href: "#" + id}, name))), filterBar()),
  make("main", {}, sections.map(([id, name]) => {
    const body = make("div");
    bodies.set(id, body);
    return make("section", {id, "aria-labelledby": id + "-name"}, make("h2", {id: id + "-name", text: name}), body);
  })));
fill();
addEventListener("beforeprint", drawAll);
addEventListener("aisp-draw-all", drawAll);
document.documentElement.setAttribute("data-ready", "");
