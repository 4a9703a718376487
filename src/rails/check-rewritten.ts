import { describeValue } from "../engine/describe-value.js";
import { ColangRuntimeError } from "../diagnostics/errors.js";

type Variables = Readonly<Record<string, unknown>>;

const TEXTS = ["user_message", "bot_message", "relevant_chunks", "tool_message"] as const;

/**
 * Checks the texts that a rail assigned. INVARIANT: a rail that was to rewrite a text and left none has not rewritten it, so
 * neither the old text nor an empty one goes on.
 *
 * @param updates - variables that the rail changed; a list of chunks becomes one text and its parts
 * @throws ColangRuntimeError RL-108 for a value that is not a text, or arguments of a tool that are not a map
 */
export function checkRewritten(flow: string, before: Variables, updates: Record<string, unknown>): void {
  const { relevant_chunks: chunks } = updates;
  if (isTexts(chunks) && chunks.length > 0) {
    if (!Object.hasOwn(updates, "relevant_chunks_sep")) updates["relevant_chunks_sep"] = [...chunks];
    updates["relevant_chunks"] = chunks.join("\n");
  }
  for (const name of TEXTS) {
    if (isLost(name, before, updates) && typeof updates[name] !== "string") fail(flow, name, updates[name], "a text");
  }
  if (isLost("relevant_chunks_sep", before, updates) && !isTexts(updates["relevant_chunks_sep"])) {
    fail(flow, "relevant_chunks_sep", updates["relevant_chunks_sep"], "a list of texts");
  }
  const { tool_args: args } = updates;
  const isMap = typeof args === "object" && args !== null && !Array.isArray(args);
  if (isLost("tool_args", before, updates) && !isMap) fail(flow, "tool_args", args, "a map");
}

/** A variable without a value before has nothing to lose. */
function isLost(name: string, before: Variables, updates: Variables): boolean {
  if (!Object.hasOwn(updates, name)) return false;
  return (updates[name] ?? undefined) !== undefined || (before[name] ?? undefined) !== undefined;
}

function isTexts(value: unknown): value is readonly string[] {
  return Array.isArray(value) && value.every((item) => typeof item === "string");
}

function fail(flow: string, name: string, value: unknown, expected: string): never {
  const message = `expected rail \`${flow}\` to leave ${expected} in \`$${name}\`, got ${describeValue(value)}`;
  throw new ColangRuntimeError(message, { code: "RL-108", flow });
}
