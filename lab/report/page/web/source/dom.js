// Elements are made here and nowhere else: text goes in as text, never as markup.

export function make(tag, attributes = {}, ...children) {
  const element = document.createElement(tag);
  for (const [name, value] of Object.entries(attributes)) {
    if (value === undefined || value === null || value === false) continue;
    if (name.startsWith("on")) element.addEventListener(name.slice(2), value);
    else if (name === "text") element.append(...breakable(tag, String(value)));
    else element.setAttribute(name, value === true ? "" : String(value));
  }
  element.append(...children.flat().filter((child) => child !== undefined && child !== null && child !== false)
    .flatMap((child) => (child instanceof Node ? [child] : breakable(tag, String(child)))));
  return element;
}

// Long names may break where one of their words ends, and not within a word.
function breakable(tag, text) {
  if (tag === "option" || !/[^\s]{13}/.test(text)) return [text];
  return text.split(/(?<=[_:/,=.;&|)\]>])(?=[A-Za-z<("'])/).flatMap((part, place) => (place ? [document.createElement("wbr"), part] : [part]));
}

export const simulatedChip = () => make("span", {class: "chip simulated"}, "simulated");

// What a figure needs: caption, who made it, and a chart that is drawn when it comes into view.
// The marks of a chart stand in groups of class "mark-…", which is how a test counts them.
export function figure(kind, caption, simulated, draw, minimum = 0) {
  const box = make("figure", {"data-chart": kind, "data-simulated": simulated, class: "waiting"},
    make("figcaption", {}, simulated ? simulatedChip() : null, caption));
  later(box, (room) => {
    box.classList.remove("waiting");
    const chart = draw(Math.max(minimum, Math.min(1100, room - 22 || 800)));
    box.append(...[chart].flat());
    box.setAttribute("data-drawn", "");
  });
  return box;
}

const waiting = new Map();
const eye = new IntersectionObserver((seen) => {
  drawEach(seen.filter(({isIntersecting}) => isIntersecting).map(({target}) => target));
}, {rootMargin: "600px"});

function later(element, draw) {
  waiting.set(element, draw);
  eye.observe(element);
}

// All widths are asked for first: asked for between two drawings, each would lay the whole page out anew.
function drawEach(elements) {
  for (const [element, room] of elements.map((element) => [element, element.clientWidth])) {
    const draw = waiting.get(element);
    waiting.delete(element);
    eye.unobserve(element);
    if (draw && element.isConnected) draw(room);  // what a filter took away is forgotten
  }
}

// Before printing, everything that is on the page.
export function drawAll() {
  drawEach([...waiting.keys()]);
}

export function command(text) {
  const button = make("button", {type: "button", "aria-label": "copy the command: " + text, onclick: () => {
    const said = () => { button.textContent = "copied"; };
    if (navigator.clipboard) navigator.clipboard.writeText(text).then(said, () => select(code));
    else select(code);
  }}, "copy");
  const code = make("code", {text});
  return make("div", {class: "command"}, code, button);
}

function select(element) {
  const range = document.createRange();
  range.selectNodeContents(element);
  getSelection().removeAllRanges();
  getSelection().addRange(range);
}

export function choice(label, options, chosen, change) {
  const list = make("select", {onchange: () => change(list.value)},
    options.map(([value, text]) => make("option", {value, selected: value === chosen, text})));
  return make("label", {}, label, list);
}
