import type { LlmCallRecord } from "../../llm/task/call-model.js";
import type { Interaction, TraceSpan } from "../../tracing/interaction.js";
import type { PlaygroundSpan } from "./wire.js";

type Attributes = TraceSpan["attributes"];

/**
 * Returns the work of a call for the page.
 *
 * @param calls - model calls of the turn, which include their texts even if the trace does not
 */
export function spansOf(
  { spans, startedAt }: Interaction,
  calls: readonly LlmCallRecord[] = [],
): readonly PlaygroundSpan[] {
  const left = [...calls];
  return spans.map((span) => {
    const task = textOf(span.attributes, "guardrails.task");
    const at = span.kind === "model" ? left.findIndex((call) => call.task === task) : -1;
    const [call] = at === -1 ? [] : left.splice(at, 1);
    return describe(span, startedAt, call);
  });
}

function describe(span: TraceSpan, startedAt: number, call: LlmCallRecord | undefined): PlaygroundSpan {
  const { id, parentId, kind, status, durationMs, attributes, content } = span;
  const own = content ?? (call && { prompt: call.prompt, completion: call.completion });
  return {
    id,
    kind,
    name: nameOf(span),
    status,
    startMs: round(span.startedAt - startedAt),
    durationMs: round(durationMs),
    ...present({
      parent: parentId,
      stage: textOf(attributes, "rail.type"),
      task: textOf(attributes, "guardrails.task"),
      model: textOf(attributes, "gen_ai.response.model") ?? textOf(attributes, "gen_ai.request.model"),
      inputTokens: numberOf(attributes, "gen_ai.usage.input_tokens"),
      outputTokens: numberOf(attributes, "gen_ai.usage.output_tokens"),
      reason: textOf(attributes, "guardrails.rail.reason"),
      score: numberOf(attributes, "rail.score"),
      categories: listOf(attributes, "rail.categories"),
      isShadow: attributes["rail.shadow"] === true ? true : undefined,
      isCached: attributes["llm.cache.hit"] === true ? true : undefined,
      error: textOf(attributes, "guardrails.error.code") ?? textOf(attributes, "error.type"),
      content: own,
    }),
  };
}

/** Returns the display name of a span: the name of its rail, action or task. */
export function nameOf({ kind, name, attributes }: Pick<TraceSpan, "kind" | "name" | "attributes">): string {
  if (kind === "turn") return "turn";
  const key = kind === "rail" ? "rail.name" : kind === "action" ? "action.name" : "guardrails.task";
  return textOf(attributes, key) ?? name;
}

/** Rounds to two decimals of a millisecond. */
function round(milliseconds: number): number {
  return Math.round(milliseconds * 100) / 100;
}

function present<Fields extends object>(fields: Fields): Partial<{ [Key in keyof Fields]: NonNullable<Fields[Key]> }> {
  const known = Object.entries(fields).filter(([, value]) => value !== undefined);
  return Object.fromEntries(known) as Partial<{ [Key in keyof Fields]: NonNullable<Fields[Key]> }>;
}

function textOf(attributes: Attributes, name: string): string | undefined {
  const value = attributes[name];
  return typeof value === "string" ? value : undefined;
}

function numberOf(attributes: Attributes, name: string): number | undefined {
  const value = attributes[name];
  return typeof value === "number" ? value : undefined;
}

function listOf(attributes: Attributes, name: string): readonly string[] | undefined {
  const value = attributes[name];
  return Array.isArray(value) ? (value as readonly string[]) : undefined;
}
