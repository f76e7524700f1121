// Numbers for people.

export function duration(ms) {
  if (!(ms > 0)) return ms === 0 ? "0" : "";
  if (ms < 1e-3) return precise(ms * 1e6) + " ns";
  if (ms < 1) return precise(ms * 1e3) + " us";
  if (ms < 1e3) return precise(ms) + " ms";
  return precise(ms / 1e3) + " s";
}

export function precise(value, digits = 4) {
  if (value === undefined || value === null || Number.isNaN(value)) return "";
  if (value === 0) return "0";
  const size = Math.abs(value);
  if (size >= 1e6 || size < 1e-3) return value.toPrecision(digits);
  return String(Number(value.toPrecision(digits)));
}

const prefixes = [[1e15, "P"], [1e12, "T"], [1e9, "G"], [1e6, "M"], [1e3, "k"], [1, ""]];
export function prefixed(value, unit) {
  if (!Number.isFinite(value)) return "";
  const [scale, prefix] = prefixes.find(([least]) => Math.abs(value) >= least) ?? [1, ""];
  return precise(value / scale, 3) + " " + prefix + unit;
}

export const percent = (share, digits = 1) =>
  share === undefined || share === null ? "" : (100 * share).toFixed(digits) + " %";
export const times = (ratio) => (ratio > 0 ? ratio.toFixed(3) + "x" : "");
export const counted = (number, one, many = one + "s") => number + " " + (number === 1 ? one : many);
