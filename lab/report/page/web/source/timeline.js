// What ran when: a lane for each track, gaps of the device with their cause; wheel, drag and keys zoom and move.
import {make} from "./dom.js";
import {counted, duration, precise} from "./format.js";

const ns = "http://www.w3.org/2000/svg";
const svg = (tag, attributes, ...children) => {
  const element = document.createElementNS(ns, tag);
  for (const [name, value] of Object.entries(attributes)) element.setAttribute(name, value);
  element.append(...children);
  return element;
};

export const engines = ["compute", "to device", "to host", "device copy", "fill", "peer", "host function", "range", "call", "wait"];
const colour = {compute: "var(--c0)", "to device": "var(--c2)", "to host": "var(--c1)", "device copy": "var(--c4)", fill: "var(--c5)",
  peer: "var(--c3)", "host function": "var(--c7)", range: "var(--c6)", call: "var(--c5)", wait: "var(--c3)"};

const top = 26, letter = 6.2;

export function timeline(trace, width) {
  const lanes = trace.tracks;
  // Names of lanes are to the left of them, and above them where that takes too much of the width.
  const longest = 10 + letter * Math.max(...lanes.map((lane) => lane.length));
  const room = longest <= width * 0.3 ? longest : 0;
  const laneHeight = room ? 24 : 40, below = room ? 4 : 20;
  const ends = trace.intervals.map((item) => item[3] + item[4]);
  const first = Math.min(...trace.intervals.map((item) => item[3])), last = Math.max(...ends, first + 1e-3);
  let from = first, to = last;
  // Lengths of a simulated schedule are estimated from counts: as shares of the whole they show what overlaps.
  const long = (us) => (trace.simulated ? (100 * us / (last - first)).toFixed(1) + " % of the schedule" : duration(us * 1e-3));
  const when = (us) => (trace.simulated ? precise(100 * us / (last - first), 3) + " %" : us >= 1e3 ? precise(us * 1e-3) + " ms" : precise(us) + " us");
  const height = top + laneHeight * lanes.length + 6;
  const drawing = svg("svg", {class: "timeline", viewBox: `0 0 ${width} ${height}`, width, height, tabindex: "0", role: "img",
    "aria-label": `timeline of ${counted(trace.intervals.length, "interval")}; plus and minus zoom, arrows move, 0 shows all`});
  const seen = make("p", {class: "quiet", role: "status"});
  const says = make("p", {});

  const place = (time) => room + (time - from) / (to - from) * (width - room - 4);
  const time = (x) => from + (x - room) / (width - room - 4) * (to - from);

  function draw() {
    const parts = [];
    const step = 10 ** Math.floor(Math.log10((to - from) / 4));
    const wide = (to - from) / step > 8 ? step * 2 : step;
    for (let tick = first + Math.ceil((from - first) / wide) * wide; tick <= to; tick += wide)
      parts.push(svg("line", {x1: place(tick), x2: place(tick), y1: top - 4, y2: height, stroke: "var(--line)"}),
        svg("text", place(tick) + 60 < width ? {x: place(tick) + 2, y: 12} : {x: place(tick) - 2, y: 12, "text-anchor": "end"}, when(tick - first)));
    lanes.forEach((lane, row) => parts.push(
      svg("line", {x1: 0, x2: width, y1: top + laneHeight * row, y2: top + laneHeight * row, stroke: "var(--line)"}),
      svg("text", {class: "lane", x: 2, y: top + laneHeight * row + (room ? 16 : 14)}, lane)));
    const bars = svg("g", {class: "mark-span"});
    let shown = 0, reach = lanes.map(() => -1);
    for (const item of trace.intervals) {
      const [lane, name, kind, start, length] = item;
      if (start + length < from || start > to) continue;
      const x = Math.max(room, place(start)), right = Math.min(width, place(start + length));
      ++shown;
      // What is narrower than a pixel is drawn once for all that share it.
      if (right - x < 1 && x <= reach[lane]) continue;
      reach[lane] = x + 1;
      const bar = svg("rect", {x, y: top + laneHeight * lane + below, width: Math.max(1, right - x), height: 16, rx: 2, fill: colour[kind] ?? "var(--c6)",
        "fill-opacity": kind === "range" ? 0.35 : 0.85}, svg("title", {}, `${name}\n${kind}, ${long(length)}${item[5] ? "\n" + item[5] : ""}${item[6] ? "\nafter " + item[6] : ""}`));
      bars.append(bar);
      if (right - x > 7 * name.length) bars.append(svg("text", {x: x + 3, y: top + laneHeight * lane + below + 12, style: "fill:#fff;pointer-events:none"}, name));
    }
    const gaps = svg("g", {class: "mark-gap"});
    for (const gap of trace.gaps) {
      if (gap.start + gap.us < from || gap.start > to) continue;
      const x = Math.max(room, place(gap.start)), right = Math.min(width, place(gap.start + gap.us));
      gaps.append(svg("rect", {class: "gap", x, y: top, width: Math.max(1, right - x), height: height - top - 2},
        svg("title", {}, `nothing ran for ${long(gap.us)}\nended by ${gap.ended_by}\nit waited for ${gap.waited_for}`)));
    }
    drawing.replaceChildren(...parts, gaps, bars);
    seen.textContent = `${long(to - from)} shown, ${shown} of ${counted(trace.intervals.length, "interval")}`;
  }

  function zoom(factor, around) {
    const length = Math.min(last - first, Math.max((to - from) * factor, (last - first) * 1e-5));
    const share = (around - from) / (to - from);
    from = Math.max(first, Math.min(last - length, around - share * length));
    to = from + length;
    draw();
  }
  function move(by) {
    const length = to - from;
    from = Math.max(first, Math.min(last - length, from + by));
    to = from + length;
    draw();
  }
  const middle = () => (from + to) / 2;
  const pointer = (event) => time((event.clientX - drawing.getBoundingClientRect().left) * width / drawing.getBoundingClientRect().width);
  drawing.addEventListener("wheel", (event) => {
    if (!event.ctrlKey && document.activeElement !== drawing) return;  // a page that scrolls goes on doing so
    event.preventDefault();
    zoom(event.deltaY > 0 ? 1.25 : 0.8, pointer(event));
  }, {passive: false});
  let held = null;
  drawing.addEventListener("pointerdown", (event) => { held = pointer(event); drawing.setPointerCapture(event.pointerId); });
  drawing.addEventListener("pointermove", (event) => { if (held !== null) move(held - pointer(event)); });
  drawing.addEventListener("pointerup", () => { held = null; });
  drawing.addEventListener("pointercancel", () => { held = null; });
  drawing.addEventListener("keydown", (event) => {
    const keys = {"+": () => zoom(0.6, middle()), "=": () => zoom(0.6, middle()), "-": () => zoom(1 / 0.6, middle()),
      ArrowLeft: () => move(-(to - from) / 8), ArrowRight: () => move((to - from) / 8), "0": () => { from = first; to = last; draw(); }};
    if (!keys[event.key] || event.ctrlKey || event.metaKey) return;
    event.preventDefault();
    keys[event.key]();
  });
  draw();
  const button = (text, label, act) => make("button", {type: "button", "aria-label": label, onclick: act}, text);
  const kinds = engines.filter((kind) => trace.intervals.some((item) => item[2] === kind));
  const longestGap = [...trace.gaps].sort((a, b) => b.us - a.us)[0];
  if (longestGap) says.textContent = `${counted(trace.gaps.length, "gap")}; the longest, ${long(longestGap.us)}, was ended by ${longestGap.ended_by} and waited for ${longestGap.waited_for}.`;
  return [make("div", {class: "pager no-print"}, button("+", "zoom in", () => zoom(0.6, middle())), button("−", "zoom out", () => zoom(1 / 0.6, middle())),
    button("←", "earlier", () => move(-(to - from) / 4)), button("→", "later", () => move((to - from) / 4)),
    button("all", "show all", () => { from = first; to = last; draw(); }), seen), drawing,
    make("div", {class: "legend"}, kinds.map((kind) => make("span", {}, make("span", {class: "swatch", style: `background:${colour[kind]}`}), kind))), says];
}
