/** Kinds of work that a trace shows. */
export type SpanKind = "turn" | "rail" | "action" | "model";

/** Facts about starting work. Texts and parameters are only read if the application enables content. */
export type SpanStart =
  | {
      readonly kind: "rail";
      readonly rail: string;
      readonly flow: string;
      readonly stage: string;
      /** The text or the arguments that the rail looks at. */
      readonly subject: unknown;
      readonly about?: string | undefined;
      readonly isShadow?: boolean | undefined;
    }
  | { readonly kind: "action"; readonly action: string; readonly params: Readonly<Record<string, unknown>> }
  | {
      readonly kind: "model";
      readonly task: string;
      /** Absent if the runtime does not know the model, as of a wrapped chain. */
      readonly provider?: string | undefined;
      readonly model?: string | undefined;
      readonly parameters?: Readonly<Record<string, unknown>> | undefined;
      /** Returns the text that is sent. */
      readonly prompt?: (() => string) | undefined;
    };

/** Facts about work that has ended. */
export interface SpanEnd {
  /** Of a rail: its status. */
  readonly status?: "passed" | "modified" | "blocked" | "error" | "cancelled";
  readonly reason?: string | undefined;
  readonly categories?: readonly string[] | undefined;
  readonly score?: number | undefined;
  readonly threshold?: number | undefined;
  readonly usage?: { readonly input_tokens: number; readonly output_tokens: number } | undefined;
  /** Of a rail: true if its verdict was found in a cache. */
  readonly isCached?: boolean | undefined;
  /** For a rail: the subject after it. */
  readonly subject?: unknown;
  /** Of a model call: the text of the completion. */
  readonly text?: string | undefined;
  /** Of a model call: the message of a chat model, for its id, model and reason to stop. */
  readonly message?: unknown;
  /** Of a model call: the model that replied. */
  readonly model?: string | undefined;
}

/** Traced work. INVARIANT: no method throws, and none affects the work. */
export interface Span {
  /** Begins work inside this one. */
  start(facts: SpanStart): Span;
  /** Runs work with this span active for the application's instrumentation. */
  run<Result>(work: () => Result): Result;
  /** Ends the work; a second end counts for nothing. */
  end(facts?: SpanEnd): void;
  /** Ends the work with an error. */
  fail(error: unknown): void;
}

/** Work with other work inside. */
export type ParentSpan = Pick<Span, "start">;

/** End of a call, for the trace of it. */
export interface CallEnd {
  readonly isAborted: boolean;
  /** Returns a text without the values that pseudonyms replace. */
  readonly hide?: ((text: string) => string) | undefined;
  /** Texts that rails removed from the extra lines of user texts. */
  readonly hidden: readonly { readonly text: string; readonly replacement?: string | undefined }[];
}

/** The span of a whole call. */
export interface CallSpan extends Omit<Span, "end" | "fail"> {
  /** Notes the result of a turn. */
  answered(result: { readonly status: string; readonly userMessage: string; readonly text: string }): void;
  /** Ends the call and passes its trace on. */
  close(end: CallEnd): void;
}

/** Opens the traces of calls. The one implementation is in `tracing/`. */
export interface CallTracer {
  /** @param thread - id of the conversation, if it is stored */
  open(thread?: string): CallSpan;
}

/** Pulls each piece of a stream with a span active. */
export async function* streamWithin<Piece>(span: Span, open: () => AsyncIterable<Piece>): AsyncGenerator<Piece> {
  const pieces = span.run(() => open()[Symbol.asyncIterator]());
  let isDone = false;
  try {
    for (;;) {
      const next = await span.run(() => pieces.next());
      isDone = next.done === true;
      if (next.done === true) return;
      yield next.value;
    }
  } catch (error) {
    isDone = true;
    throw error;
  } finally {
    if (!isDone) await pieces.return?.();
  }
}
