import { wrapRows } from "./wrap.mjs";
import { dialogRows } from "./dialog.mjs";
import { historyRows } from "./history.mjs";
import { throughputRows } from "./throughput.mjs";
import { colang2Rows } from "./colang2.mjs";
import { startRows } from "./start.mjs";
import { engineRows } from "./engine.mjs";
import { heapRows } from "./heap.mjs";
import { matcherRows } from "./matcher.mjs";
import { streamRows } from "./streams.mjs";
import { detectorRows } from "./detectors.mjs";
import { walkRows } from "./walk.mjs";
import { modelRailRows } from "./model-rails.mjs";

const GROUPS = {
  wrap: wrapRows,
  rails: modelRailRows,
  dialog: dialogRows,
  history: historyRows,
  streams: streamRows,
  throughput: throughputRows,
  colang2: colang2Rows,
  engine: engineRows,
  start: startRows,
  heap: heapRows,
  walk: walkRows,
  matcher: matcherRows,
  detectors: detectorRows,
};

/**
 * Rows of the bench. A row has a `name`, a `title`, `conditions`, a `unit`, a function `value(parts)` that computes its
 * figure from one number per operation, and one of
 * - `open(library, options)`: operations that are timed in blocks, by name;
 * - `fresh`: scripts of `bench/fresh/` that print a number, by the name of the operation;
 * - `once(library, options)`: lists of samples by name, taken by the row itself.
 *
 * A `target` is an upper bound, or with `least` a lower one.
 */
export const rows = Object.entries(GROUPS).flatMap(([group, own]) => own.map((row) => ({ group, ...row })));
