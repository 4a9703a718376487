import type { Interaction, TraceSink, TraceSpan } from "../interaction.js";

/**
 * Prints the tree of every call.
 *
 * @param print - receives the text of a call. Default: `console.log`
 *
 * @example
 * ```ts
 * const tracing = createTracing({ sinks: [consoleTraces()] });
 * ```
 */
export function consoleTraces(print: (text: string) => void = (text) => console.log(text)): TraceSink {
  return { name: "console", write: (interaction) => print(formatInteraction(interaction)) };
}

/**
 * Formats the tree of a call: a line per span with its status and milliseconds.
 *
 * @example
 * ```ts
 * formatInteraction(interaction);
 * // guardrails.request blocked 12.1 ms
 * //   rail self check input (input) blocked 11.8 ms
 * //     action self_check_input 11.6 ms
 * //       chat gpt-4o-mini 11.2 ms, 120 + 3 tokens
 * ```
 */
export function formatInteraction({ spans }: Interaction): string {
  const depths = new Map<string, number>();
  const children = new Map<string | undefined, TraceSpan[]>();
  for (const span of spans) children.set(span.parentId, [...(children.get(span.parentId) ?? []), span]);
  const lines: string[] = [];
  const waiting = [...(children.get(undefined) ?? [])];
  for (let span = waiting.shift(); span !== undefined; span = waiting.shift()) {
    const depth = span.parentId === undefined ? 0 : (depths.get(span.parentId) ?? 0) + 1;
    depths.set(span.id, depth);
    lines.push(`${"  ".repeat(depth)}${lineOf(span)}`);
    waiting.unshift(...(children.get(span.id) ?? []));
  }
  return lines.join("\n");
}

function lineOf({ name, kind, status, durationMs, attributes }: TraceSpan): string {
  const subject =
    kind === "rail"
      ? `rail ${String(attributes["rail.name"])} (${String(attributes["rail.type"])})`
      : kind === "action"
        ? `action ${String(attributes["action.name"])}`
        : name;
  const outcome = status === "ok" ? "" : ` ${status}`;
  const input = attributes["gen_ai.usage.input_tokens"];
  const output = attributes["gen_ai.usage.output_tokens"];
  const tokens = kind === "model" && typeof input === "number" ? `, ${input} + ${Number(output ?? 0)} tokens` : "";
  const error = attributes["error.type"] === undefined ? "" : `, ${String(attributes["error.type"])}`;
  return `${subject}${outcome} ${durationMs.toFixed(1)} ms${tokens}${error}`;
}
