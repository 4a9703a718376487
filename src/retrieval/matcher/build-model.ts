import type { BuildJob, BuiltModel, MatcherProgress } from "./build-job.js";
import { buildHybrid } from "./hybrid/build-hybrid.js";
import { calibrate } from "./calibration.js";
import { FeatureReader } from "./features.js";
import { createTables, orderByClass } from "./intent-model.js";
import { trainSvm, type TrainingSet } from "./linear-svm.js";
import { packModel, unpackModel } from "./matcher-cache.js";
import { VocabularyBuilder, widthOf } from "./sparse-rows.js";

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
  const hybrid = job.vectors && (yield* buildHybrid({ job, vectors: job.vectors, set, ngrams: tables, dual, order }));
  yield { phase: known === undefined ? "calibrating" : "reading", share: 1, total: 1 };
  return { model: { vocabulary, tables, calibration }, learnt, ...hybrid };
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
