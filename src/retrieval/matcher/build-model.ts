import { calibrate } from "./calibration.js";
import { FeatureReader } from "./features.js";
import { createTables, type IntentModel, orderByClass } from "./intent-model.js";
import { trainSvm, type TrainingSet } from "./linear-svm.js";
import { packModel, unpackModel } from "./matcher-cache.js";
import { VocabularyBuilder, widthOf } from "./sparse-rows.js";

/** How far learning is. */
export interface MatcherProgress {
  readonly phase: "reading" | "training" | "calibrating";
  /** Grows from 0 to 1 within the phase. */
  readonly share: number;
  /** Of all phases together, by how long they usually take; never shrinks, and is 1 at the end. */
  readonly total: number;
}

/** The input of learning: plain data, which threads send each other. */
export interface BuildJob {
  /** The examples, then the names of the intents. */
  readonly texts: readonly string[];
  /** By text the number of its intent. */
  readonly classOf: Int32Array;
  readonly classes: number;
  /** How many of the texts are examples. */
  readonly examples: number;
  /** True if the result of learning is wanted for the next time. */
  readonly isKept: boolean;
  /** Result of an earlier learning; used if it is whole and belongs to these texts. */
  readonly known?: Uint8Array | undefined;
}

export interface BuiltModel {
  readonly model: IntentModel;
  /** Result of learning; undefined if it was known or is not wanted. */
  readonly learnt: Uint8Array | undefined;
}

type Phase = MatcherProgress["phase"];

const TEXTS_PER_REPORT = 500;
/** Start and share of every phase of learning. */
const PHASES: Readonly<Record<Phase, { readonly start: number; readonly part: number }>> = {
  reading: { start: 0, part: 0.15 },
  training: { start: 0.15, part: 0.6 },
  calibrating: { start: 0.75, part: 0.25 },
};

/** Learns a model; yields its progress every few milliseconds of work. */
export function* buildModel(job: BuildJob): Generator<MatcherProgress, BuiltModel> {
  const { classOf, classes, examples } = job;
  const builder = yield* report("reading", readAll(job.texts));
  const order = orderByClass(classOf, classes);
  const { vocabulary, rows, postings } = builder.finish(order.textOf);
  const rowOf = new Int32Array(classOf.length);
  for (const [row, text] of order.textOf.entries()) rowOf[text] = row;
  const classOfRow = order.textOf.map((text) => classOf[text] as number);
  const set: TrainingSet = { rows, classOf: classOfRow, order: rowOf, classes, width: widthOf(vocabulary) };
  const known = unpackModel(job.known, set);
  const dual = known?.dual ?? (yield* report("training", trainSvm(set)));
  const tables = createTables({ set, postings, dual, examples, ...order });
  const calibration =
    known?.calibration ?? (yield* report("calibrating", calibrate(tables, set, dual, rowOf.subarray(0, examples))));
  const learnt = job.isKept && known === undefined ? packModel({ dual, calibration }, set) : undefined;
  yield { phase: known === undefined ? "calibrating" : "reading", share: 1, total: 1 };
  return { model: { vocabulary, tables, calibration }, learnt };
}

function* readAll(texts: readonly string[]): Generator<number, VocabularyBuilder> {
  const reader = new FeatureReader();
  const builder = new VocabularyBuilder(texts.length);
  for (const [at, text] of texts.entries()) {
    builder.add(reader.read(text));
    if (at % TEXTS_PER_REPORT === TEXTS_PER_REPORT - 1) yield at / texts.length;
  }
  return builder;
}

function* report<Result>(phase: Phase, steps: Generator<number, Result>): Generator<MatcherProgress, Result> {
  const { start, part } = PHASES[phase];
  yield { phase, share: 0, total: start };
  for (;;) {
    const { done, value } = steps.next();
    if (done === true) return value;
    yield { phase, share: value, total: start + part * value };
  }
}
