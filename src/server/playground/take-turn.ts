import { type BaseMessage, HumanMessage } from "@langchain/core/messages";
import { Guardrails } from "../../langchain/guardrails.js";
import type { Host } from "../../langchain/host.js";
import { extractText } from "../../langchain/values/content.js";
import { verdictOf } from "../../langchain/verdict.js";
import type { Interaction, StartedSpan } from "../../tracing/interaction.js";
import { createTracing } from "../../tracing/tracing.js";
import type { GuardrailsMetadata } from "../../turn/decision.js";
import type { TurnResult } from "../../turn/result.js";
import { sseEvent } from "../sse.js";
import { nameOf } from "./describe-span.js";
import { describeTurn } from "./describe-turn.js";
import type { PlaygroundEvent } from "./wire.js";

/** A turn that the page requests. */
export interface AskedTurn {
  readonly host: Host;
  readonly text: string;
  /** Id of the conversation in the thread store. */
  readonly thread: string;
  readonly signal: AbortSignal;
  /** True to show texts that no rail has passed. */
  readonly isUnreviewed: boolean;
  /** Returns an error message that may be sent. */
  readonly describe: (error: unknown) => string;
}

/** Runs one turn and writes its events for a stream. */
export async function* writeTurn(asked: AskedTurn): AsyncGenerator<string> {
  for await (const event of takeTurn(asked)) yield sseEvent(JSON.stringify(event));
}

/** Runs one turn. Yields its text, the work that starts meanwhile and finally the whole turn. */
async function* takeTurn(asked: AskedTurn): AsyncGenerator<PlaygroundEvent> {
  const { host, text, thread, signal } = asked;
  const results: TurnResult[] = [];
  const observed = observe(asked);
  const guardrails = new Guardrails({
    ...host,
    onBlocked: "refuse",
    onTurn: (result) => results.push(result),
    tracer: observed.tracer,
  });
  let reply = "";
  let verdict: GuardrailsMetadata | undefined;
  let failure: string | undefined;
  try {
    const config = { configurable: { thread_id: thread }, signal };
    const chunks = guardrails.stream([new HumanMessage(text)], config);
    for await (const step of amid(chunks, observed.nextBegun)) {
      yield* observed.begun();
      if (step === undefined) continue;
      // The response to a user message is a message.
      const message = step.value as BaseMessage;
      verdict = verdictOf(message) ?? verdict;
      const piece = extractText(message);
      if (verdict?.replaces === true && reply !== "") {
        reply = "";
        yield { type: "text-withdrawn" };
      }
      reply += piece;
      if (piece !== "") yield { type: "text-delta", text: piece };
    }
  } catch (error) {
    signal.throwIfAborted();
    failure = asked.describe(error);
  }
  yield* observed.begun();
  const turn = describeTurn({
    user: text,
    reply,
    verdict,
    trace: observed.trace(),
    results,
    config: host.runtime.config,
    ...(failure === undefined ? {} : { failure }),
  });
  yield { type: "turn", turn };
}

/** Yields the values of a stream, and undefined for each other event before the next value. */
async function* amid<Value>(
  opening: Promise<AsyncIterable<Value>>,
  nextEvent: () => Promise<void>,
): AsyncGenerator<{ readonly value: Value } | undefined> {
  let values: AsyncIterator<Value> | undefined;
  const pull = async (): Promise<IteratorResult<Value>> => (values ??= (await opening)[Symbol.asyncIterator]()).next();
  let isDone = false;
  try {
    let next = pull();
    for (;;) {
      const isThere = await Promise.race([next.then(() => true), nextEvent().then(() => false)]);
      if (!isThere) {
        yield undefined;
        continue;
      }
      const result = await next;
      isDone = result.done === true;
      if (result.done === true) return;
      yield { value: result.value };
      next = pull();
    }
  } finally {
    if (!isDone) void values?.return?.().catch(() => undefined);
  }
}

/** Traces a call. */
function observe({ host, isUnreviewed }: AskedTurn) {
  const started: StartedSpan[] = [];
  let notify = (): void => undefined;
  let trace: Interaction | undefined;
  const follow = () => ({
    started: (span: StartedSpan) => {
      started.push(span);
      notify();
    },
    finished: (interaction: Interaction) => void (trace = interaction),
  });
  const tracing = createTracing(
    { sinks: [{ name: "playground", follow }], content: true, logger: false },
    { isUnreviewed },
  );
  return {
    tracer: host.redactTraces === true ? tracing.withoutContent() : tracing,
    trace: () => trace,
    /** Resolves when work has started that `begun` has not yielded. */
    nextBegun: () => (started.length > 0 ? Promise.resolve() : new Promise<void>((resolve) => (notify = resolve))),
    /** Yields the work that has started since the last call. */
    *begun(): Generator<PlaygroundEvent> {
      for (const span of started.splice(0)) {
        if (span.kind !== "turn") yield { type: "work-start", kind: span.kind, name: nameOf(span) };
      }
    },
  };
}
