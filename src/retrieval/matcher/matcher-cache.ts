import { BACKGROUND_TABLE } from "./background-table.js";
import type { Calibration } from "./intent-model.js";
import { hashText } from "./words.js";
import { type DualWeights, passesFor, type TrainingSet } from "./linear-svm.js";

/** Caches learnt matchers. Both calls are synchronous; a failed write must not throw. */
export interface MatcherCache {
  read(key: string): Uint8Array | undefined;
  write(key: string, bytes: Uint8Array): void;
}

/** Result of learning; everything else follows from the examples. */
export interface LearntModel {
  readonly dual: DualWeights;
  readonly calibration: Calibration;
}

/** Incremented whenever the same examples would be learnt differently. */
const VERSION = 5;
const MAGIC = 0x4c474d31;
const HEADER_BYTES = 48;
const ENTRY_BYTES = 8;
const KEY_SEEDS = [0x1b873593, 0x2545f491, 0x165667b1, 0x27d4eb2f];

interface Examples {
  readonly texts: readonly string[];
  readonly classOf: Int32Array;
  readonly examples: number;
}

/** Cache key of exactly these examples, this version and this table. */
export function matcherKey({ texts, classOf, examples }: Examples): string {
  const content = JSON.stringify([examples, Array.from(classOf), texts]);
  const parts = KEY_SEEDS.map((seed) => hashText(content, hashText(BACKGROUND_TABLE, seed + VERSION)) >>> 0);
  return parts.map((part) => part.toString(16).padStart(8, "0")).join("");
}

/** Packs the learnt model: header, then position and value of every nonzero weight. */
export function packModel({ dual, calibration }: LearntModel, set: TrainingSet): Uint8Array {
  let count = 0;
  for (const weight of dual) if (weight !== 0) count += 1;
  const bytes = new Uint8Array(HEADER_BYTES + ENTRY_BYTES * count);
  const view = new DataView(bytes.buffer);
  for (const [at, value] of headerOf(set, dual, count).entries()) view.setUint32(4 * at, value, true);
  view.setFloat64(24, calibration.logistic.slope, true);
  view.setFloat64(32, calibration.logistic.offset, true);
  view.setFloat64(40, calibration.threshold, true);
  let at = HEADER_BYTES;
  for (const [place, weight] of dual.entries()) {
    if (weight === 0) continue;
    view.setUint32(at, place, true);
    view.setFloat32(at + 4, weight, true);
    at += ENTRY_BYTES;
  }
  view.setUint32(20, checksum(bytes), true);
  return bytes;
}

/** Unpacks the learnt model; undefined unless the bytes are complete and match the shape of the set. */
export function unpackModel(bytes: Uint8Array | undefined, set: TrainingSet): LearntModel | undefined {
  if (bytes === undefined || bytes.length < HEADER_BYTES) return undefined;
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  const [count, length] = [view.getUint32(16, true), view.getUint32(12, true)];
  const wanted = headerOf(set, { length }, count);
  if (length !== (passesFor(set) === 0 ? 0 : set.classOf.length * set.classes)) return undefined;
  if (bytes.length !== HEADER_BYTES + ENTRY_BYTES * count || view.getUint32(20, true) !== checksum(bytes)) {
    return undefined;
  }
  if (wanted.some((value, at) => view.getUint32(4 * at, true) !== value)) return undefined;
  const dual = new Float32Array(length);
  for (let at = HEADER_BYTES; at < bytes.length; at += ENTRY_BYTES) {
    const [place, weight] = [view.getUint32(at, true), view.getFloat32(at + 4, true)];
    if (place >= length || !Number.isFinite(weight) || weight < 0) return undefined;
    dual[place] = weight;
  }
  const [slope, offset, threshold] = [24, 32, 40].map((at) => view.getFloat64(at, true)) as [number, number, number];
  // INVARIANT: a threshold that is not a number would accept everything.
  if (![slope, offset, threshold].every(Number.isFinite)) return undefined;
  return { dual, calibration: { logistic: { slope, offset }, threshold } };
}

function headerOf(set: TrainingSet, dual: { readonly length: number }, count: number): readonly number[] {
  return [MAGIC, set.classOf.length, set.width, dual.length, count];
}

/** Covers everything except its own field. */
function checksum(bytes: Uint8Array): number {
  let code = 0x811c9dc5;
  for (let at = 0; at < bytes.length; at += 1) {
    if (at < 20 || at >= 24) code = Math.imul(code ^ (bytes[at] as number), 0x01000193);
  }
  return code >>> 0;
}
