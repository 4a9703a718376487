import { AIMessage, type BaseMessage } from "@langchain/core/messages";
import { type Runnable, RunnableLambda } from "@langchain/core/runnables";
import { type Guardrails, GuardrailsError } from "../../../src/index.js";
import type { Cell } from "./cell.js";
import { type Side } from "./cell.js";
import type { InputShape } from "./input-shapes.js";
import { contains, textOf, textOfChunks, textOfEvents } from "./observe.js";
import { currentCell, guardrailsOf, type Outcome, OUTCOMES } from "./outcomes.js";
import type { OutputShape } from "./output-shapes.js";
import { greetingOf, type Surface, type Target } from "./surfaces.js";

/** A hang, and not a slow machine: nothing in a cell waits for more than a few milliseconds. */
const HANG_MS = 5_000;

export interface CellCase {
  readonly surface: Surface;
  readonly side: Side;
  readonly shape: InputShape | OutputShape;
}

/**
 * The outcomes of rails for which a row has an expectation. Without a refusal in the history only a rail that masks
 * sees that an earlier message must not be read again.
 */
export function outcomesOf({ surface, side, shape }: CellCase): readonly Outcome[] {
  if (side === "input" && "next" in shape && surface.repliesItself === true) return ["mask"];
  return shape.outcomes ?? OUTCOMES;
}

/** All problems of one cell; empty for a valid one. */
export async function problemsOf(
  { surface, side, shape }: CellCase,
  cell: Cell,
  made: Promise<Guardrails> = guardrailsOf(cell.dialect, cell.outcome),
): Promise<string[]> {
  const problems: string[] = [];
  const guardrails = await made;
  await currentCell.run(cell, async () => {
    const target = await surface.open(guardrails, cell);
    const run = side === "input" ? askWithMarker : answerWithMarker;
    const work = run(surface, shape as never, cell, target).catch((error: unknown) => {
      cell.error = error;
      cell.left.push(textOf(error));
    });
    let timer: NodeJS.Timeout | undefined;
    const hang = new Promise<void>((resolve) => {
      timer = setTimeout(() => (problems.push("hangs"), resolve()), HANG_MS);
    });
    await Promise.race([work, hang]);
    clearTimeout(timer);
  });
  // The result of a tool must not reach the model, nor the arguments of a model the tool.
  const isHidden = side === "input" || (surface.isGraph === true && /^(calls|result)$/.test(shape.kind));
  if (isHidden && cell.shown.some((text) => contains(text, cell.marker))) problems.push("reaches the model");
  if (cell.left.some((text) => contains(text, cell.marker))) problems.push("leaves");
  // A tool's own error stays an error, without text that a rail hides.
  if (cell.error !== undefined && shape.kind !== "result" && !GuardrailsError.isInstance(cell.error)) {
    problems.push(`bare error ${String(cell.error).split("\n")[0]?.slice(0, 80).replaceAll(cell.marker, "MARKER")}`);
  }
  return problems;
}

async function askWithMarker(surface: Surface, shape: InputShape, cell: Cell, target: Target): Promise<void> {
  const put = (value: unknown): unknown =>
    shape.kind === "messages" ? (surface.put ?? ((same) => same))(value as BaseMessage[]) : value;
  cell.reply = () => ({ whole: shape.kind === "call" ? ("fine" as never) : new AIMessage("fine") });
  let value = put(shape.make(cell.marker));
  if (shape.next !== undefined) {
    const first: unknown = await target.invoke(value, asOneResult(surface.config)).catch((error: unknown) => error);
    value = put(shape.next(cell.marker, replyIn(first, surface)));
    cell.shown.length = 0;
  }
  await observe(target, value, surface, cell);
}

/** The options without the mode in which a graph returns a list of chunks. */
function asOneResult(config: object = {}): object {
  const { streamMode: _mode, ...rest } = config as { readonly streamMode?: unknown };
  return rest;
}

/** The message that the application keeps of a first turn. */
function replyIn(result: unknown, { replyOf }: Surface): BaseMessage {
  if (replyOf !== undefined && !(result instanceof Error)) return new AIMessage(replyOf(result as never));
  if (result instanceof Error) return new AIMessage((result as { refusal?: string }).refusal ?? result.message);
  const { messages } = result as { messages?: BaseMessage[] };
  const last = messages?.at(-1) ?? result;
  return typeof last === "object" && last !== null && "content" in last
    ? (last as BaseMessage)
    : new AIMessage(typeof last === "string" ? last : "fine");
}

async function answerWithMarker(surface: Surface, shape: OutputShape, cell: Cell, target: Target): Promise<void> {
  const reply = shape.make(cell.marker);
  let hasReplied = false;
  cell.reply = () => {
    // An agent calls its model again after a tool call, and a conversation continues.
    if (hasReplied && surface.isStep !== true) return { whole: new AIMessage("done") };
    hasReplied = true;
    return shape.make(cell.marker) as never;
  };
  if (surface.isStep !== true) return observe(target, shape.ask ?? greetingOf(surface), surface, cell);
  const chunks = reply.chunks ?? [reply.whole];
  if (cell.way === "stream") {
    const source = RunnableLambda.from(async function* () {
      yield* chunks;
    });
    return observe(source.pipe(target as Runnable) as unknown as Target, "q", surface, cell);
  }
  return observe(target, reply.whole, surface, cell);
}

async function observe(target: Target, value: unknown, surface: Surface, cell: Cell): Promise<void> {
  const callbacks = [
    {
      handleLLMNewToken: (token: string, ...rest: unknown[]) => void cell.left.push(textOf([token, rest[4]])),
      handleCustomEvent: (name: string, data: unknown) => void cell.left.push(textOf([name, data])),
    },
  ];
  const config = { ...surface.config };
  const runnable = target as Runnable;
  switch (cell.way) {
    case "invoke": {
      cell.left.push(textOf(await runnable.invoke(value, { ...config, ...(surface.isStep ? {} : { callbacks }) })));
      return;
    }
    case "batch": {
      const results = await runnable.batch([value], config, { returnExceptions: true });
      cell.left.push(textOf(results));
      if (results[0] instanceof Error) throw results[0];
      return;
    }
    case "stream":
      return collect(runnable.stream(value, config), cell, textOfChunks);
    case "events": {
      const events = runnable.streamEvents(value, { ...config, version: "v2" });
      return collect(events, cell, (seen) => textOfEvents(seen, cell.stage === "output" && surface.isStep !== true));
    }
  }
}

/** Everything that was received before the stream ended or failed. */
async function collect(
  stream: AsyncIterable<unknown> | Promise<AsyncIterable<unknown>>,
  cell: Cell,
  read: (seen: readonly unknown[]) => string,
): Promise<void> {
  const seen: unknown[] = [];
  try {
    for await (const chunk of await stream) seen.push(chunk);
  } finally {
    cell.left.push(read(seen));
  }
}
