import type { PromptMessage } from "../../config/settings.js";
import { TemplateError } from "../templates/template-error.js";

const TYPES: ReadonlyMap<unknown, PromptMessage["type"]> = new Map([
  ["system", "system"],
  ["user", "user"],
  ["assistant", "assistant"],
  ["bot", "assistant"],
]);

/**
 * The messages a bare string among a prompt's messages came to: a list as it is, or JSON of one.
 *
 * @param task - named in the error when it is neither
 */
export function toPromptMessages(value: unknown, task: string): readonly PromptMessage[] {
  if (value === undefined || value === null) return [];
  const list: unknown = typeof value === "string" ? parseList(value, task) : value;
  if (!Array.isArray(list)) throw notMessages(task);
  return list.map((item: unknown) => {
    const { type, content } = typeof item === "object" && item !== null ? (item as Partial<PromptMessage>) : {};
    const known = TYPES.get(type);
    if (known === undefined || typeof content !== "string") throw notMessages(task);
    return { type: known, content };
  });
}

function parseList(text: string, task: string): unknown {
  if (text.trim() === "") return [];
  try {
    return JSON.parse(text) as unknown;
  } catch (error) {
    throw notMessages(task, error);
  }
}

function notMessages(task: string, cause?: unknown): TemplateError {
  const message = `a template among the messages of prompt \`${task}\` does not give a list of messages`;
  return new TemplateError(message, { cause });
}
