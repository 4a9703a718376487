import type { Clock } from "../engine/events.js";
import type { Made } from "../engine/plain-data.js";
import type { CallEnd, CallSpan, Span, SpanEnd, SpanStart } from "../engine/span.js";
import {
  type Attributes,
  endAttributes,
  errorAttributes,
  nameOfSpan,
  rootAttributes,
  startAttributes,
} from "./attributes.js";
import { contentOf, type Entry, isPassing, type Redact, redactorOf, shorten, type TurnEnd } from "./content.js";
import type { CallFollower, Interaction, StartedSpan, TraceSpan, TraceStatus } from "./interaction.js";

/** Texts of a trace: none, those that rails passed, or all, for the developer's playground. */
export type TraceContent = "none" | "passed" | "all";

export interface RecorderOptions {
  readonly clock: Clock;
  /** Creates an id with this number of hexadecimal digits. */
  readonly newId: (digits: number) => string;
  readonly content: TraceContent;
  readonly followers: readonly CallFollower[];
  readonly onError: (error: unknown) => void;
  /** Receives the trace at the end of the call. */
  readonly onEnd: (build: () => Interaction) => void;
}

/** Maximum number of spans of a trace; further work is not recorded. */
const MAX_SPANS = 10_000;

/**
 * Trace of one running call. INVARIANT: texts stay in memory until the call has ended, since only then is it known
 * which of them rails blocked or rewrote; a call with a block, a failed rail or no end has no texts in its trace.
 */
export class CallRecorder implements CallSpan {
  readonly #options: RecorderOptions;
  readonly #traceId: string;
  /** Prefix of the ids of all spans. */
  readonly #prefix: string;
  readonly #entries: Entry[] = [];
  readonly #runners: readonly CallFollower[];
  readonly #root: Entry;
  #result: TurnEnd | undefined;
  #isClosed = false;

  constructor(options: RecorderOptions, thread: string | undefined) {
    this.#options = options;
    this.#traceId = options.newId(32);
    this.#prefix = options.newId(8);
    this.#runners = options.followers.filter(({ run }) => run !== undefined);
    this.#root = this.#open(undefined, undefined, rootAttributes(thread));
  }

  start(facts: SpanStart): Span {
    return this.startIn(this.#root, facts);
  }

  run<Result>(work: () => Result): Result {
    // `runIn` returns the result of the work.
    return this.runIn(this.#root, work) as Result;
  }

  answered(result: TurnEnd): void {
    const { status, userMessage, text } = result;
    this.#result = { status, userMessage, text };
  }

  close(end: CallEnd): void {
    if (this.#isClosed) return;
    this.#isClosed = true;
    this.#guard(() => {
      const finishedAt = this.#options.clock.now();
      let built: Interaction | undefined;
      const build = (): Interaction => (built ??= this.#build(end, finishedAt));
      for (const follower of this.#options.followers) this.#guard(() => follower.finished(build()));
      this.#options.onEnd(build);
    });
  }

  /** Starts a span inside another one. */
  startIn(parent: Entry, facts: SpanStart): Span {
    if (this.#isClosed || this.#entries.length >= MAX_SPANS) return NO_SPAN;
    return this.#guard(() => new RecordedSpan(this, this.#open(parent, facts, startAttributes(facts)))) ?? NO_SPAN;
  }

  /** INVARIANT: the work runs once, and its result or error is returned, whatever the followers do. */
  runIn({ started }: Entry, work: () => unknown): unknown {
    if (this.#runners.length === 0) return work();
    let outcome: { readonly value: unknown } | { readonly error: unknown } | undefined;
    const once = (): unknown => {
      if (outcome === undefined) {
        try {
          outcome = { value: work() };
        } catch (error) {
          outcome = { error };
        }
      }
      return undefined;
    };
    let run = once;
    for (const follower of this.#runners) {
      const inner = run;
      run = () => follower.run?.(started.id, inner);
    }
    this.#guard(run);
    once();
    if (outcome !== undefined && "error" in outcome) throw outcome.error;
    return (outcome as { readonly value: unknown } | undefined)?.value;
  }

  endOf(entry: Entry, end: SpanEnd): void {
    if (entry.finishedAt !== undefined) return;
    entry.finishedAt = this.#options.clock.now();
    entry.end = end;
    entry.status = entry.facts?.kind === "rail" ? (end.status ?? "ok") : "ok";
  }

  failOf(entry: Entry, error: unknown): void {
    if (entry.finishedAt !== undefined) return;
    entry.finishedAt = this.#options.clock.now();
    entry.status = "error";
    entry.error = error;
  }

  #open(parent: Entry | undefined, facts: SpanStart | undefined, attributes: Attributes): Entry {
    const { clock, followers } = this.#options;
    // A key added after a spread gives each object its own hidden class.
    const started: Made<StartedSpan> = {
      id: `${this.#prefix}${(this.#entries.length + 1).toString(16).padStart(8, "0")}`,
      kind: facts?.kind ?? "turn",
      name: facts === undefined ? "guardrails.request" : nameOfSpan(facts),
      startedAt: clock.now(),
      attributes: Object.freeze({ ...attributes }),
    };
    if (parent !== undefined) started.parentId = parent.started.id;
    const isOfRail = facts?.kind === "rail" || parent?.isOfRail === true;
    const entry: Entry = { started: Object.freeze(started), facts, isOfRail, attributes };
    this.#entries.push(entry);
    for (const follower of followers) this.#guard(() => follower.started(started));
    return entry;
  }

  #build(end: CallEnd, finishedAt: number): Interaction {
    const rails = this.#entries.filter(({ facts }) => facts?.kind === "rail" && facts.isShadow !== true);
    const turnRails = rails.filter(({ facts }) => facts?.kind === "rail" && facts.about !== "history");
    const blocking =
      turnRails.find(({ status }) => status === "blocked") ?? turnRails.find(({ status }) => status === "error");
    const blocked = isBlock(this.#result?.status) || turnRails.some(({ status }) => status === "blocked");
    const isHeldBack = blocked || end.isAborted || rails.some(({ status }) => !isPassing(status));
    const { content } = this.#options;
    const redact = content === "none" ? undefined : content === "all" ? shorten : redactorOf(this.#entries, end);
    const texts = isHeldBack && content !== "all" ? undefined : redact;
    this.#root.finishedAt = finishedAt;
    this.#root.status = this.#statusOf(end, blocked);
    if (blocked) Object.assign(this.#root.attributes, blockOf(blocking));
    if (this.#root.status === "error") Object.assign(this.#root.attributes, this.#failure());
    const spans = this.#entries.map((entry) => this.#span(entry, finishedAt, redact, texts));
    const { startedAt } = this.#root.started;
    return Object.freeze({ traceId: this.#traceId, startedAt, finishedAt, blocked, spans: Object.freeze(spans) });
  }

  #statusOf({ isAborted }: CallEnd, blocked: boolean): TraceStatus {
    if (blocked) return "blocked";
    if (isAborted) return "cancelled";
    if (this.#result?.status === "failed") return "error";
    const failed = this.#entries.some(({ status, facts, isOfRail }) => {
      return status === "error" && !isOfRail && facts?.kind === "model";
    });
    return failed ? "error" : "ok";
  }

  /** Attributes of the failure that ended the call: of the last model call or action outside of rails that failed. */
  #failure(): Attributes {
    const failed = this.#entries.filter(({ status, isOfRail }) => status === "error" && !isOfRail);
    return errorAttributes((failed.findLast(({ facts }) => facts?.kind === "model") ?? failed.at(-1))?.error);
  }

  #span(entry: Entry, callEnd: number, redact: Redact | undefined, texts: Redact | undefined): TraceSpan {
    const { started, facts, end, error, attributes, status = "cancelled" } = entry;
    const finishedAt = entry.finishedAt ?? callEnd;
    if (facts !== undefined && end !== undefined) Object.assign(attributes, endAttributes(facts, end, redact));
    if (error !== undefined) Object.assign(attributes, errorAttributes(error));
    const content = texts === undefined ? {} : contentOf(entry, this.#result, texts, this.#options.content === "all");
    const model = attributes["gen_ai.response.model"];
    const name = started.name === "chat" && typeof model === "string" ? `chat ${model}` : started.name;
    const durationMs = finishedAt - started.startedAt;
    const span = { ...started, name, attributes: Object.freeze(attributes), finishedAt, durationMs, status };
    return Object.freeze(
      Object.keys(content).length === 0 ? span : Object.assign(span, { content: Object.freeze(content) }),
    );
  }

  #guard<Result>(work: () => Result): Result | undefined {
    try {
      return work();
    } catch (error) {
      this.#options.onError(error);
      return undefined;
    }
  }
}

function isBlock(status: string | undefined): boolean {
  return status === "blocked" || status === "exception";
}

function blockOf(entry: Entry | undefined): Attributes {
  const { "rail.name": rail, "rail.type": stage } = entry?.attributes ?? {};
  return {
    "guardrails.blocked": true,
    ...(rail === undefined ? {} : { "guardrails.blocked.rail": rail }),
    ...(stage === undefined ? {} : { "guardrails.blocked.stage": stage }),
  };
}

/** A span of a recorder. */
class RecordedSpan implements Span {
  readonly #recorder: CallRecorder;
  readonly #entry: Entry;

  constructor(recorder: CallRecorder, entry: Entry) {
    this.#recorder = recorder;
    this.#entry = entry;
  }

  start(facts: SpanStart): Span {
    return this.#recorder.startIn(this.#entry, facts);
  }

  run<Result>(work: () => Result): Result {
    // `runIn` returns the result of the work.
    return this.#recorder.runIn(this.#entry, work) as Result;
  }

  end(facts: SpanEnd = {}): void {
    this.#recorder.endOf(this.#entry, facts);
  }

  fail(error: unknown): void {
    this.#recorder.failOf(this.#entry, error);
  }
}

/** Span of work beyond the limit, or after the end of its call. */
const NO_SPAN: Span = {
  start: () => NO_SPAN,
  run: (work) => work(),
  end: () => undefined,
  fail: () => undefined,
};
