// Numbers for people.

// As base/text.cpp writes it for the terminal.
export function duration(ms) {
  if (!(ms >= 0)) return "";
  if (ms < 1) return (ms * 1e3).toFixed(2) + " us";
  return ms < 1e3 ? ms.toFixed(3) + " ms" : (ms / 1e3).toFixed(2) + " s";
}

export function precise(value, digits = 4) {
  if (value === undefined || value === null || Number.isNaN(value)) return "";
  if (value === 0) return "0";
  const size = Math.abs(value);
  if (size >= 1e6 || size < 1e-3) return value.toPrecision(digits);
  return String(Number(value.toPrecision(digits)));
}

// As base/text.cpp writes it for the terminal.
const prefixes = ["", "k", "M", "G", "T", "P"];
export function prefixed(value, unit) {
  if (!Number.isFinite(value)) return "";
  let step = 0;
  for (; Math.abs(value) >= 1000 && step + 1 < prefixes.length; ++step) value /= 1000;
  return value.toFixed(Math.abs(value) >= 100 ? 1 : Math.abs(value) >= 10 ? 2 : 3) + " " + prefixes[step] + unit;
}

// For an axis: "500 kB" and not "500.0 kB".
export const tick = (value, unit) => prefixed(value, unit).replace(/\.?0+(?= )/, "");
// A number stays in one line with its unit, and an arrow is not broken.
export const joined = (text) => text.replace(/(\d) (?=([kMGTP]?B|%)(\W|$))/g, "$1\u00a0").replaceAll("->", "-\u2060>");
export const percent = (share, digits = 1) =>
  share === undefined || share === null ? "" : (100 * share).toFixed(digits) + " %";
export const times = (ratio) => (ratio > 0 ? ratio.toFixed(3) + "x" : "");
export const counted = (number, one, many = one + "s") => number + " " + (number === 1 ? one : many);
