import { createRandom, shuffle } from "../../retrieval/matcher/random.js";
import { type DataFolder, missingData, readFirst } from "./data-folder.js";
import { groupBy } from "./sample.js";
import { type DataFile, readJsonLines } from "./json-lines.js";

/** An utterance and its intent. */
export interface LabelledUtterance {
  readonly text: string;
  readonly intent: string;
  /** Its line in the file it came from. */
  readonly line: number;
}

/** Utterances to learn from and utterances to ask about. */
export interface TopicalDataset {
  readonly name: string;
  readonly examples: readonly LabelledUtterance[];
  readonly tests: readonly LabelledUtterance[];
  /** Utterances that belong to none of the intents. */
  readonly outOfScope: readonly { readonly text: string; readonly line: number }[];
}

export interface SplitOptions {
  readonly seed: number;
  /** Share of each intent's utterances used for testing. Default: 0.3. */
  readonly testShare?: number;
  /** Maximum number of them. Default: 3. */
  readonly maxTestsPerIntent?: number;
}

/** Labels of data sets for an utterance that belongs to no intent. */
const OUT_OF_SCOPE = new Set(["oos", "out of scope", "out-of-scope"]);
const SEPARATE = ["index.jsonl", "train.jsonl"] as const;
const TESTS = "dev.jsonl";
const TOGETHER = "all.jsonl";

/**
 * Reads a topical data set. The intent is `canonical` if rows have it, otherwise `intent`. A folder contains
 * `index.jsonl` (or `train.jsonl`) and `dev.jsonl`, used unchanged, or `all.jsonl`, split by seed. Out-of-scope rows
 * are never examples.
 *
 * @throws EvaluationDataError
 */
export async function loadTopical(folder: DataFolder, split: SplitOptions): Promise<TopicalDataset> {
  const name = folder.name.split(/[/\\]/).at(-1) ?? folder.name;
  const [examples, tests, all] = await Promise.all([
    readFirst(folder, SEPARATE),
    folder.read(TESTS),
    folder.read(TOGETHER),
  ]);
  if (examples !== undefined && tests !== undefined) {
    const asked = readUtterances(tests);
    return {
      name,
      examples: readUtterances(examples).filter((row) => !isOutOfScope(row)),
      tests: asked.filter((row) => !isOutOfScope(row)),
      outOfScope: withoutIntents(asked),
    };
  }
  if (all !== undefined) return splitTopical(name, readUtterances(all), split);
  throw missingData(folder, [examples === undefined ? "index.jsonl" : TESTS, TOGETHER]);
}

/**
 * Splits utterances: for every intent with more than one, the given share (rounded down, at least one) is for testing
 * and the rest are examples. Equal seeds give equal splits.
 */
export function splitTopical(
  name: string,
  rows: readonly LabelledUtterance[],
  { seed, testShare = 0.3, maxTestsPerIntent = 3 }: SplitOptions,
): TopicalDataset {
  const random = createRandom(seed);
  const examples: LabelledUtterance[] = [];
  const tests: LabelledUtterance[] = [];
  for (const group of groupBy(
    rows.filter((row) => !isOutOfScope(row)),
    ({ intent }) => intent,
  ).values()) {
    const shuffled = shuffle(group, random);
    const wanted = Math.max(1, Math.floor(shuffled.length * testShare));
    const count = shuffled.length < 2 ? 0 : Math.min(wanted, maxTestsPerIntent, shuffled.length - 1);
    tests.push(...shuffled.slice(0, count));
    examples.push(...shuffled.slice(count));
  }
  return { name, examples, tests, outOfScope: withoutIntents(rows) };
}

/** The first `count` examples of every intent, in file order. */
export function takeExamples(
  examples: readonly LabelledUtterance[],
  count: number | "all",
): readonly LabelledUtterance[] {
  if (count === "all") return examples;
  return [...groupBy(examples, ({ intent }) => intent).values()].flatMap((group) => group.slice(0, count));
}

function isOutOfScope({ intent }: LabelledUtterance): boolean {
  return OUT_OF_SCOPE.has(intent.toLowerCase());
}

/** The out-of-scope rows. They have no intent, only such a label. */
function withoutIntents(rows: readonly LabelledUtterance[]): TopicalDataset["outOfScope"] {
  return rows.filter(isOutOfScope).map(({ text, line }) => ({ text, line }));
}

function readUtterances(file: DataFile): LabelledUtterance[] {
  return readJsonLines(file, (row) => ({
    text: row.text("text"),
    intent: row.text(row.has("canonical") ? "canonical" : "intent"),
    line: row.line,
  }));
}
