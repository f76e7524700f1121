// What the program wrote into the page, linked up: a row knows its entry, an entry its run, a run its device.

const text = document.getElementById("data").textContent;
export const data = JSON.parse(text);

for (const name of ["devices", "runs", "entries", "rows", "history", "sweeps", "traces", "profiles", "findings"])
  data[name] ??= [];
for (const run of data.runs) run.on = data.devices[run.device];
for (const entry of data.entries) {
  entry.of = data.runs[entry.run];
  entry.rows = [];
  entry.simulated = Boolean(entry.of.on?.simulated);
}
for (const row of data.rows) {
  row.of = data.entries[row.entry];
  row.of.rows.push(row);
  const seconds = row.median * 1e-3;
  if (row.samples?.length && seconds > 0 && !row.of.simulated) {
    if (row.of.flops > 0) row.flops = row.of.flops / seconds;
    if (row.of.bytes > 0) row.bandwidth = row.of.bytes / seconds;
  }
}
for (const list of [data.traces, data.profiles]) for (const item of list) item.of = data.rows[item.row];

export const filters = {text: "", dtype: "", device: ""};

export function keeps(entry) {
  const words = filters.text.toLowerCase().split(/\s+/).filter(Boolean);
  const name = (entry.target + " " + entry.size).toLowerCase();
  return words.every((word) => name.includes(word)) &&
    (filters.dtype === "" || entry.dtype === filters.dtype) &&
    (filters.device === "" || String(entry.of.device) === filters.device);
}

export const unique = (list) => [...new Set(list)];
export const entriesShown = () => data.entries.filter(keeps);
export const rowsShown = () => data.rows.filter((row) => keeps(row.of));
export const timed = (row) => row.samples?.length > 0 && row.median > 0;
export const counted = (row) => row.counts?.length > 0;
// A cell of the row as the terminal's table has it.
export const cell = (row, column) => row.cells?.[data.columns.indexOf(column)] ?? "";
export const deviceName = (device) => device ? device.name + (device.host ? " in " + device.host : "") : "no device";

// Groups in the order of their first member: Map of key -> list.
export function grouped(list, key) {
  const groups = new Map();
  for (const item of list) {
    const name = key(item);
    if (!groups.has(name)) groups.set(name, []);
    groups.get(name).push(item);
  }
  return groups;
}
