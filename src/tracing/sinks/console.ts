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
 * Formats the tree of a call: one line per span with its status and milliseconds.
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
  const ids = new Set(spans.map(({ id }) => id));
  const roots: TraceSpan[] = [];
  const children = new Map<string, TraceSpan[]>();
  for (const span of spans) {
    const { parentId } = span;
    const siblings = parentId === undefined || !ids.has(parentId) ? roots : (children.get(parentId) ?? []);
    siblings.push(span);
    if (siblings !== roots && parentId !== undefined) children.set(parentId, siblings);
  }
  const lines: string[] = [];
  // INVARIANT: each span of a stored trace is shown once, regardless of its ids: parents may form a cycle or share an id.
  const left = new Set(spans);
  for (const root of [...roots, ...spans]) {
    const waiting = [{ span: root, depth: 0 }];
    for (let next = waiting.pop(); next !== undefined; next = waiting.pop()) {
      const { span, depth } = next;
      if (!left.delete(span)) continue;
      lines.push(`${"  ".repeat(Math.min(depth, MAX_INDENT))}${lineOf(span)}`);
      for (const child of (children.get(span.id) ?? []).toReversed()) waiting.push({ span: child, depth: depth + 1 });
    }
  }
  return lines.join("\n");
}

/** Maximum indentation: a deeper tree would print more spaces than text. */
const MAX_INDENT = 50;

/** Maximum length of a name, in characters. */
const MAX_NAME = 200;

const CONTROLS = /[\u0000-\u001f\u007f-\u009f\u2028\u2029\u200e\u200f\u202a-\u202e\u2066-\u2069]/g;

/**
 * Returns a name in a trace as text for one terminal line. INVARIANT: names, such as that of a model that a caller chose, can
 * neither control the terminal nor start a new line.
 */
export function lineOfText(value: unknown): string {
  const text = String(value);
  const shown = text.length > MAX_NAME ? `${text.slice(0, MAX_NAME)}…` : text;
  return shown.replace(CONTROLS, "\uFFFD");
}

function lineOf({ name, kind, status, durationMs, attributes }: TraceSpan): string {
  const subject =
    kind === "rail"
      ? `rail ${lineOfText(attributes["rail.name"])} (${lineOfText(attributes["rail.type"])})`
      : kind === "action"
        ? `action ${lineOfText(attributes["action.name"])}`
        : lineOfText(name);
  const outcome = status === "ok" ? "" : ` ${status}`;
  const input = attributes["gen_ai.usage.input_tokens"];
  const output = attributes["gen_ai.usage.output_tokens"];
  const tokens = kind === "model" && typeof input === "number" ? `, ${input} + ${Number(output ?? 0)} tokens` : "";
  const error = attributes["error.type"] === undefined ? "" : `, ${lineOfText(attributes["error.type"])}`;
  return `${subject}${outcome} ${durationMs.toFixed(1)} ms${tokens}${error}`;
}
