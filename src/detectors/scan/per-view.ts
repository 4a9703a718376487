import type { TextView } from "../detector.js";

/**
 * Returns a function that reads a view once, for all rules of a detector: they run on the same view one after the other.
 */
export function oncePerView<Reading>(read: (view: TextView) => Reading): (view: TextView) => Reading {
  let last: { readonly view: TextView; readonly reading: Reading } | undefined;
  return (view) => {
    if (last?.view !== view) last = { view, reading: read(view) };
    return last.reading;
  };
}
