// Whole turns over random configurations: rails that pass, block, mask, throw and never return, on any surface and with
// any shape of message. A spec of one turn is a text of `key value` lines, so that a failure can be made smaller.
import { Cell, type CellKey, type Side, WAYS, type Way } from "../../__tests__/system/matrix/cell.js";
import { INPUT_SHAPES, type InputShape } from "../../__tests__/system/matrix/input-shapes.js";
import { KNOWN_HOLES } from "../../__tests__/system/matrix/known-holes.js";
import {
  type Behaviour,
  colangOf,
  DIALECTS,
  flowsOf,
  optionsOf,
  OUTCOMES,
  type RailPlan,
  railName,
  type Stage,
} from "../../__tests__/system/matrix/outcomes.js";
import { OUTPUT_SHAPES, type OutputShape } from "../../__tests__/system/matrix/output-shapes.js";
import { type CellCase, outcomesOf, problemsOf } from "../../__tests__/system/matrix/run-cell.js";
import { type Surface, SURFACES } from "../../__tests__/system/matrix/surfaces.js";
import { Guardrails, type RailDecision } from "../../src/index.js";
import type { Random } from "./random.js";

const BEHAVIOURS: readonly Behaviour[] = ["pass", "pass", ...OUTCOMES];
/** Surfaces with a separate configuration, or with one rail. */
const OTHERS = /Moderation|^rail\(\)/;
const CANDIDATES = SURFACES.filter(({ name }) => !OTHERS.test(name));

/** Maximum number of chunks over which a shape spreads the marked word. */
const LONGEST_WORD = 10;

interface TurnSpec {
  readonly one: CellCase;
  readonly key: CellKey;
  readonly plan: RailPlan;
  readonly config: object;
  readonly isVerdict: boolean;
  readonly mode: string;
  /** The model starts together with the input rails, so it may see what they stop. */
  readonly isSpeculative: boolean;
}

/** The spec of a random turn that can be run. */
export function generateTurn(random: Random): string {
  for (;;) {
    const text = generateSpec(random);
    if (readSpec(text) !== undefined) return text;
  }
}

function generateSpec(random: Random): string {
  const surface = CANDIDATES[random.below(CANDIDATES.length)] as Surface;
  const cases = casesOf(surface);
  const { side, shape } = cases[random.below(cases.length)] as CellCase;
  const rails = (): string => Array.from({ length: 1 + random.below(4) }, () => random.pick(BEHAVIOURS)).join(" ");
  return [
    `surface ${surface.name}`,
    `side ${side}`,
    `shape ${shape.name}`,
    `dialect ${random.pick(surface.dialects ?? DIALECTS)}`,
    `way ${random.pick(surface.ways ?? WAYS)}`,
    `input ${rails()}`,
    `output ${rails()}`,
    `parallel ${random.pick(["unset", "true", "false"])}`,
    `verdicts ${random.pick(["yes", "no"])}`,
    `mode ${random.pick(["buffer", "window", "window"])}`,
    // Windows of one chunk release the most before the end is known.
    `chunks ${random.below(2) === 0 ? 1 : 1 + random.below(40)}`,
    // A window that repeats less of the previous one than the word lets its parts pass, as documented.
    `context ${LONGEST_WORD + random.below(20)}`,
    `speculative ${random.pick(["yes", "no", "no"])}`,
  ].join("\n");
}

/** Runs the turn of a spec, and throws if blocked text was emitted, if it hangs, or if its verdicts differ. */
export async function checkTurn(text: string): Promise<void> {
  const spec = readSpec(text);
  if (spec === undefined) return;
  const unhandled: unknown[] = [];
  const note = (reason: unknown): void => void unhandled.push(reason);
  process.on("unhandledRejection", note);
  try {
    const cell = await runTurn(spec, spec.key.way);
    checkDecisions(spec, cell);
    await checkParity(spec);
    // Rejections are reported a turn of the event loop later.
    await new Promise((resolve) => setImmediate(() => setImmediate(resolve)));
  } finally {
    process.off("unhandledRejection", note);
  }
  if (unhandled.length > 0) throw new Error(`unhandled rejection: ${String(unhandled[0])}`);
}

let cells = 0;

async function runTurn(spec: TurnSpec, way: Way): Promise<Cell> {
  const { one, key, plan, config, isVerdict, isSpeculative } = spec;
  const cell = new Cell({ ...key, way }, (cells += 1));
  const note = (line: string): void => void cell.left.push(line);
  const guardrails = Guardrails.fromConfig(
    { colang: colangOf(key.dialect, plan), config },
    { ...optionsOf(isVerdict), logger: { warn: note, error: note } },
  );
  const problems = await problemsOf(one, cell, guardrails);
  const isGuarded = plan[stageOf(one)].some((behaviour) => behaviour !== "pass");
  const broken = problems.filter((problem) => {
    if (problem === "reaches the model") return isGuarded && !isSpeculative;
    return isGuarded || problem !== "leaves";
  });
  if (broken.length > 0) throw new Error(`${broken.join(", ")} (${way})`);
  return cell;
}

/** The stage whose rails check the marker. */
function stageOf({ side, shape: { kind } }: CellCase): Stage {
  if (kind === "call" || kind === "calls" || kind === "server") return "tool_output";
  if (kind === "result") return "tool_input";
  if (kind === "evidence") return "retrieval";
  return side === "input" ? "input" : "output";
}

const hasStopped = ({ status }: RailDecision): boolean => status === "blocked" || status === "error";

/** INVARIANT: when nothing stopped a text that was reviewed, every rail of its stage has decided. */
function checkDecisions({ one, plan }: TurnSpec, { decisions, wasReviewed }: Cell): void {
  const stage = stageOf(one);
  const ofStage = decisions.filter((decision) => decision.stage === stage);
  if (!wasReviewed || ofStage.length === 0 || ofStage.some(hasStopped)) return;
  const names = new Set(ofStage.map(({ rail }) => rail));
  const missing = plan[stage].map((behaviour, at) => railName(stage, behaviour, at)).filter((name) => !names.has(name));
  if (missing.length > 0) throw new Error(`no decision of ${missing.join(", ")}`);
}

/** INVARIANT: a stream that waits for the whole text decides as a call without a stream. */
async function checkParity(spec: TurnSpec): Promise<void> {
  const { surface } = spec.one;
  const ways = surface.ways ?? WAYS;
  if (spec.mode !== "buffer" || surface.isGraph === true || !ways.includes("stream")) return;
  const [called, streamed] = [await runTurn(spec, "invoke"), await runTurn(spec, "stream")];
  const [left, right] = [verdictOf(called), verdictOf(streamed)];
  if (left !== right) throw new Error(`invoke and stream differ:\n${left}\n${right}`);
}

function verdictOf({ decisions }: Cell): string {
  const isStopped = decisions.some(hasStopped);
  // The first block of concurrent rails cancels the others, in any order.
  const parts = isStopped ? ["stopped"] : decisions.map(({ stage, rail, status }) => `${stage} ${rail} ${status}`);
  return [...new Set(parts)].toSorted().join(", ");
}

function casesOf(surface: Surface): CellCase[] {
  const isOpen = (shape: InputShape | OutputShape, side: Side): boolean =>
    KNOWN_HOLES[`${side}: ${shape.name}`]?.includes(surface.name) !== true;
  const inputs = INPUT_SHAPES.filter((shape) => surface.takes?.includes(shape.kind) === true && isOpen(shape, "input"));
  const outputs = OUTPUT_SHAPES.filter(
    (shape) =>
      surface.gives?.includes(shape.kind) === true &&
      (shape.ask === undefined || surface.takes?.includes("object") === true) &&
      isOpen(shape, "output"),
  );
  return [
    ...inputs.map((shape) => ({ surface, shape, side: "input" as const })),
    ...outputs.map((shape) => ({ surface, shape, side: "output" as const })),
  ];
}

function readSpec(text: string): TurnSpec | undefined {
  const values = new Map(text.split("\n").map((line) => line.split(/ (.*)/s, 2) as [string, string | undefined]));
  const surface = CANDIDATES.find(({ name }) => name === values.get("surface"));
  const one = casesOf(surface ?? ({} as Surface)).find(
    ({ side, shape }) => side === values.get("side") && shape.name === values.get("shape"),
  );
  const dialect = (surface?.dialects ?? DIALECTS).find((name) => name === values.get("dialect"));
  const way = (surface?.ways ?? WAYS).find((name) => name === values.get("way"));
  if (surface === undefined || one === undefined || dialect === undefined || way === undefined) return undefined;
  if (way === "events" && one.side === "input" && surface.showsInput === true) return undefined;
  const behaviours = (stage: string): Behaviour[] =>
    (values.get(stage) ?? "").split(" ").filter((name): name is Behaviour => BEHAVIOURS.includes(name as Behaviour));
  const [input, output] = [behaviours("input"), behaviours("output")];
  const outcomes = outcomesOf(one);
  // A row without an expectation for masks does not apply to a plan with a mask.
  const acting = [...input, ...output].filter((behaviour) => behaviour !== "pass");
  if (acting.some((behaviour) => !outcomes.includes(behaviour))) return undefined;
  const plan: RailPlan = { input, output, retrieval: output, tool_output: output, tool_input: input };
  return {
    one,
    key: { dialect, way, side: one.side, outcome: acting[0] ?? "block" },
    plan,
    config: configOf(values, dialect, plan),
    isVerdict: values.get("verdicts") === "yes",
    mode: values.get("mode") ?? "window",
    isSpeculative: values.get("speculative") === "yes",
  };
}

function configOf(values: ReadonlyMap<string, string | undefined>, dialect: string, plan: RailPlan): object {
  const flows = flowsOf(plan);
  const parallel = values.get("parallel");
  const [chunks, context] = [values.get("chunks"), values.get("context")].map(Number);
  const streaming = {
    enabled: true,
    mode: values.get("mode") ?? "window",
    chunk_size: chunks || 1,
    context_size: context || 0,
  };
  const together = parallel === "true" || parallel === "false" ? { parallel: parallel === "true" } : {};
  return {
    colang_version: dialect,
    rails: {
      ...flows,
      input: { ...flows["input"], ...together, speculative: values.get("speculative") === "yes" },
      output: { ...flows["output"], ...together, streaming },
    },
  };
}
