import type * as OpenTelemetryApi from "@opentelemetry/api";
import type { Context, HrTime, Span, Tracer } from "@opentelemetry/api";
import { createDiagnostic } from "../../diagnostics/diagnostic.js";
import { ConfigError } from "../../diagnostics/errors.js";
import type { AttributeValue, CallFollower, Interaction, StartedSpan, TraceSink, TraceSpan } from "../interaction.js";

type Api = typeof OpenTelemetryApi;

/** Options of `openTelemetry`. */
export interface OpenTelemetryOptions {
  /** Provider of the tracer. Default: the one registered by the application. */
  readonly tracerProvider?: { getTracer(name: string): unknown } | undefined;
}

const TRACER = "langchain-guardrails";

/**
 * Exports calls as OpenTelemetry spans, below the application's active span and with its provider. Model calls and actions run
 * with their span active, so that spans of instrumented HTTP clients appear below it.
 *
 * @throws ConfigError `CF-114` if `@opentelemetry/api` is not installed
 *
 * @example
 * ```ts
 * const tracing = createTracing({ sinks: [await openTelemetry()] });
 * ```
 */
export async function openTelemetry({ tracerProvider }: OpenTelemetryOptions = {}): Promise<TraceSink> {
  const api = await loadOpenTelemetry("tracing with OpenTelemetry", "tracing");
  // A provider may be registered later, so the tracer is requested for each call.
  const tracer = (): Tracer => (tracerProvider ?? api.trace).getTracer(TRACER) as Tracer;
  return { name: "OpenTelemetry", follow: () => new OpenCall(api, tracer()) };
}

/** @throws ConfigError `CF-114` if the package is not installed */
export async function loadOpenTelemetry(purpose: string, path: string): Promise<Api> {
  try {
    return await import("@opentelemetry/api");
  } catch {
    const message = `${purpose} needs the package \`@opentelemetry/api\``;
    const hint = "install it: `npm install @opentelemetry/api`";
    throw new ConfigError([createDiagnostic("CF-114", message, { hint, path })]);
  }
}

/** Spans of a running call. */
class OpenCall implements CallFollower {
  readonly #api: Api;
  readonly #tracer: Tracer;
  /** The application's context at the start of the call. */
  readonly #outer: Context;
  readonly #open = new Map<string, { readonly span: Span; readonly context: Context }>();

  constructor(api: Api, tracer: Tracer) {
    this.#api = api;
    this.#tracer = tracer;
    this.#outer = api.context.active();
  }

  started({ id, parentId, kind, name, startedAt, attributes }: StartedSpan): void {
    const { SpanKind, trace } = this.#api;
    const parent = parentId === undefined ? this.#outer : (this.#open.get(parentId)?.context ?? this.#outer);
    const isServer = kind === "turn" && trace.getSpan(parent) === undefined;
    const spanKind = kind === "model" ? SpanKind.CLIENT : isServer ? SpanKind.SERVER : SpanKind.INTERNAL;
    const options = { kind: spanKind, startTime: toTime(startedAt), attributes: copy(attributes) };
    const span = this.#tracer.startSpan(name, options, parent);
    this.#open.set(id, { span, context: trace.setSpan(parent, span) });
  }

  run<Result>(spanId: string, work: () => Result): Result {
    const open = this.#open.get(spanId);
    return open === undefined ? work() : this.#api.context.with(open.context, work);
  }

  finished({ spans }: Interaction): void {
    for (const ended of spans) {
      const open = this.#open.get(ended.id);
      if (open !== undefined) this.#end(open.span, ended);
    }
    this.#open.clear();
  }

  #end(span: Span, ended: TraceSpan): void {
    const { name, kind, status, attributes, content, finishedAt } = ended;
    span.updateName(name);
    span.setAttributes(copy(attributes));
    for (const [key, text] of Object.entries(content ?? {})) {
      const [attribute, value] = contentAttribute(kind, key, text);
      span.setAttribute(attribute, value);
    }
    if (status === "error" && kind !== "rail") span.setStatus({ code: this.#api.SpanStatusCode.ERROR });
    span.end(toTime(finishedAt));
  }
}

/** Returns a text with its attribute name in the semantic conventions. */
function contentAttribute(kind: TraceSpan["kind"], key: string, text: string): readonly [string, string] {
  if (kind === "rail") return ["guardrails.rail.input", text];
  if (kind === "action") return [`action.${key}`, text];
  const isInput = key === "prompt" || key === "input";
  const message = { role: isInput ? "user" : "assistant", parts: [{ type: "text", content: text }] };
  return [isInput ? "gen_ai.input.messages" : "gen_ai.output.messages", JSON.stringify([message])];
}

function copy(
  attributes: Readonly<Record<string, AttributeValue>>,
): Record<string, string | number | boolean | string[]> {
  const entries = Object.entries(attributes).map(
    ([key, value]) => [key, typeof value === "object" ? [...value] : value] as const,
  );
  return Object.fromEntries(entries);
}

const MILLISECONDS = 1_000;
const NANOSECONDS = 1_000_000;

/** Returns seconds and nanoseconds: OpenTelemetry treats small numbers as times since the start of the process. */
function toTime(milliseconds: number): HrTime {
  const seconds = Math.floor(milliseconds / MILLISECONDS);
  return [seconds, Math.round((milliseconds - seconds * MILLISECONDS) * NANOSECONDS)];
}
