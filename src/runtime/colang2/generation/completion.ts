import { linesOf } from "../../../llm/parsers/completion-text.js";
import { stripReasoning } from "../../../llm/parsers/gradual/reasoning.js";

/** Maximum number of characters read of a completion. */
const MAX_LENGTH = 20_000;
const FENCE = /^\s*(?:```|~~~)/;

/** Removes reasoning from a completion, and the text around its first code block. */
export function cleanCompletion(completion: string): string {
  const read = completion.slice(0, MAX_LENGTH);
  const response = stripReasoning(read) ?? "";
  // The indentation of the first line shows where a body begins.
  const text = (response === read.trim() ? read : response).replace(/\r\n?/g, "\n");
  const lines = text.split("\n");
  const open = lines.findIndex((line) => FENCE.test(line));
  if (open === -1) return text;
  const rest = lines.slice(open + 1);
  const close = rest.findIndex((line) => FENCE.test(line));
  const inside = rest.slice(0, close === -1 ? undefined : close).join("\n");
  return inside.trim() === "" ? "" : inside;
}

export type Label = "user intent" | "bot intent" | "bot action";

const LABELLED = /^[\s*_`#>-]*(user intent|bot intent|bot action)[*_`]*\s*:[*_`]*\s*(.*)$/i;
/** A line that starts something else, such as the next turn. */
const OTHER_LABEL = /^[\s*_`#>-]*(?:user|bot) (?:action|intent|message)[*_`]*\s*:/i;
const CONTINUED = /^\s*(?:and|or)\s/;

/**
 * Reads the texts after the first occurrence of each label in a completion; an action continues in lines with `and` or
 * `or`.
 */
export function readLabels(completion: string): ReadonlyMap<Label, string> {
  const parts = new Map<Label, string>();
  let open: Label | undefined;
  for (const line of linesOf(cleanCompletion(completion))) {
    const labelled = LABELLED.exec(line);
    if (labelled !== null) {
      const label = (labelled[1] ?? "").toLowerCase() as Label;
      // Only the first response counts; the rest is a conversation invented by the model.
      if (parts.has(label)) break;
      parts.set(label, (labelled[2] ?? "").trim());
      open = label;
    } else if (OTHER_LABEL.test(line)) break;
    else if (open === "bot action" && CONTINUED.test(line)) {
      parts.set(open, `${parts.get(open) ?? ""}\n  ${line.trim()}`);
    } else if (open !== undefined && parts.get(open) === "" && line.trim() !== "") parts.set(open, line.trim());
  }
  return parts;
}

const STATEMENT =
  /^\s*(?:[$@]|(?:await|start|stop|send|match|activate|deactivate|global|import|flow)\s|[A-Z]\w*(?:\.\w+)?\()/;

/** Returns true for a line that is a Colang statement rather than the requested text or name. */
export function looksLikeStatement(line: string): boolean {
  return STATEMENT.test(line);
}

/** Quotes a text as a Colang string, without quotes, templates or line ends taking effect. */
export function colangString(text: string): string {
  const escaped = text
    .replaceAll("\\", "\\\\")
    .replaceAll('"', '\\"')
    .replace(/[{}]/g, "$&$&")
    .replace(/\r\n|[\n\r\u2028\u2029\u0085]/g, "\\n");
  return `"${escaped}"`;
}
