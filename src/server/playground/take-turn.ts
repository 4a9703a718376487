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

/** A turn that the page asks for. */
export interface AskedTurn {
  readonly host: Host;
  readonly text: string;
  /** Id of the conversation in the store of threads. */
  readonly thread: string;
  readonly signal: AbortSignal;
  /** True to show texts that no rail has passed. */
  readonly isUnreviewed: boolean;
  /** Returns the message of an error that may leave. */
  readonly describe: (error: unknown) => string;
}

/** Takes one turn and writes its events for a stream. */
export async function* writeTurn(asked: AskedTurn): AsyncGenerator<string> {
  for await (const event of takeTurn(asked)) yield sseEvent(JSON.stringify(event));
}

/** Takes one turn and yields its text, the work that begins meanwhile and, at last, all about it. */
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
    for await (const chunk of await guardrails.stream([new HumanMessage(text)], config)) {
      yield* observed.begun();
      // A message of the user is answered with a message.
      const message = chunk as BaseMessage;
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

/** Follows the trace of a call. */
function observe({ host, isUnreviewed }: AskedTurn) {
  const started: StartedSpan[] = [];
  let trace: Interaction | undefined;
  const follow = () => ({
    started: (span: StartedSpan) => void started.push(span),
    finished: (interaction: Interaction) => void (trace = interaction),
  });
  const tracing = createTracing(
    { sinks: [{ name: "playground", follow }], content: true, logger: false },
    { isUnreviewed },
  );
  return {
    tracer: host.redactTraces === true ? tracing.withoutContent() : tracing,
    trace: () => trace,
    /** Work that has begun since the last call. */
    *begun(): Generator<PlaygroundEvent> {
      for (const span of started.splice(0)) {
        if (span.kind !== "turn") yield { type: "work-start", kind: span.kind, name: nameOf(span) };
      }
    },
  };
}
