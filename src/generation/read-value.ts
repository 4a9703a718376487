import { ActionError } from "../diagnostics/errors.js";
import { parseLiteral } from "../expressions/parse/parse-literal.js";
import { firstLine } from "../llm/parsers/completion-text.js";

const TASK = "generate_value";

/**
 * Reads the value in a completion, without a repeated `$name =` and a trailing `;`.
 *
 * @example
 * ```ts
 * readValue("3;", "count"); // 3
 * readValue("next Tuesday", "day"); // "next Tuesday"
 * ```
 */
export function readValue(completion: string, variable: string): unknown {
  const whole = withoutTarget(completion.trim(), variable);
  const line = withoutSemicolon(firstLine(whole) ?? "");
  if (line === "") throw new ActionError(`the completion has no value for \`$${variable}\``, { action: TASK });
  const ofLine = parseLiteral(line);
  if (ofLine.ok) return ofLine.value;
  if (!whole.includes("\n")) return line;
  const ofWhole = parseLiteral(withoutSemicolon(whole));
  if (ofWhole.ok) return ofWhole.value;
  throw new ActionError(`the completion for \`$${variable}\` is neither a literal nor a single line`, { action: TASK });
}

function withoutTarget(text: string, variable: string): string {
  if (!text.startsWith(`$${variable}`)) return text;
  const rest = text.slice(variable.length + 1).trimStart();
  return rest.startsWith("=") ? rest.slice(1).trim() : text;
}

function withoutSemicolon(text: string): string {
  return text.replace(/;$/, "").trimEnd();
}
