import { describeValue } from "../engine/describe-value.js";
import { isMap } from "../engine/variables.js";
import { ColangRuntimeError } from "../diagnostics/errors.js";

type Variables = Readonly<Record<string, unknown>>;

const TEXT = { what: "a text", is: (value: unknown) => typeof value === "string" };

/** The values that variables with texts and arguments may have. */
const EXPECTED = new Map<string, { readonly what: string; readonly is: (value: unknown) => boolean }>([
  ["user_message", TEXT],
  ["bot_message", TEXT],
  ["relevant_chunks", TEXT],
  ["tool_message", TEXT],
  ["relevant_chunks_sep", { what: "a list of texts", is: isTexts }],
  ["tool_args", { what: "a map", is: isMap }],
]);

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
  for (const name of Object.keys(updates)) {
    const expected = EXPECTED.get(name);
    const value = updates[name] ?? undefined;
    // A variable without a value before has nothing to lose.
    if (expected === undefined || (value === undefined && (before[name] ?? undefined) === undefined)) continue;
    if (expected.is(value)) continue;
    const message = `expected rail \`${flow}\` to leave ${expected.what} in \`$${name}\`, got ${describeValue(updates[name])}`;
    throw new ColangRuntimeError(message, { code: "RL-108", flow });
  }
}

function isTexts(value: unknown): value is readonly string[] {
  return Array.isArray(value) && value.every((item) => typeof item === "string");
}
