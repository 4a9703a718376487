import { isObject } from "./message-kinds.js";

/** Tells whether output rails read the arguments of a call of the tool of this name. */
export type ReadsCall = (name: string) => boolean;

/** What a call binds: the tools, and whether one of them must be called. */
export interface BoundTools {
  readonly tools?: unknown;
  readonly tool_choice?: unknown;
}

/**
 * The tools whose calls are an answer to the user: tools that nobody can run, when the model must call one. That is how
 * agents and extraction chains ask for a structured answer.
 */
export function answerTools({ tools, tool_choice: choice }: BoundTools): readonly string[] {
  if (!Array.isArray(tools) || choice === undefined || choice === null || choice === false) return [];
  if (
    choice === "auto" ||
    choice === "none" ||
    (isObject(choice) && ["auto", "none"].includes(String(choice["type"])))
  ) {
    return [];
  }
  return tools.flatMap((tool) => (isObject(tool) && !isRunnableTool(tool) ? (nameOf(tool) ?? []) : []));
}

/** The names of tools in any form in which models are given them. */
export function toolNames(tools: readonly unknown[]): readonly string[] {
  return tools.flatMap((tool) => (isObject(tool) ? (nameOf(tool) ?? []) : []));
}

function isRunnableTool(tool: Readonly<Record<string, unknown>>): boolean {
  return typeof tool["invoke"] === "function" || typeof tool["func"] === "function";
}

function nameOf(tool: Readonly<Record<string, unknown>>): string | undefined {
  const described = isObject(tool["function"]) ? tool["function"]["name"] : tool["name"];
  return typeof described === "string" ? described : undefined;
}
