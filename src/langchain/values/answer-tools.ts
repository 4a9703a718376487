import { isObject } from "./message-kinds.js";

/** Tells whether output rails read the arguments of a call of the tool of this name. */
export type ReadsCall = (name: string) => boolean;

/** Tools of a call, and whether the model must call one of them. */
export interface BoundTools {
  readonly tools?: unknown;
  readonly tool_choice?: unknown;
}

/**
 * The tools whose calls are an answer to the user: tools without an implementation, when the model must call one. That is how
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

/** Tools of a call to a model. */
export interface CallTools {
  /** Calls that are an answer, so that rails read their arguments too. */
  readonly reads: ReadsCall;
  /** Names of the tools that the model was offered; undefined if they are unknown. */
  readonly names?: readonly string[] | undefined;
}

/** @param chosen - tools whose arguments output rails read, by their names, or all or none of them */
export function callTools(tools: readonly unknown[], chosen: boolean | readonly string[] = false): CallTools {
  const reads: ReadsCall = typeof chosen === "boolean" ? () => chosen : (name) => chosen.includes(name);
  return { reads, names: knownToolNames(tools) };
}

/** The tools that a model has, and those of one call. */
export function offeredTools(own: readonly unknown[], { tools }: BoundTools): readonly unknown[] {
  return Array.isArray(tools) ? [...own, ...(tools as readonly unknown[])] : own;
}

/** The names of all these tools; undefined where one of them does not show its name, or there are none. */
function knownToolNames(tools: readonly unknown[]): readonly string[] | undefined {
  const names = toolNames(tools);
  return names.length === 0 || names.length < tools.length ? undefined : names;
}

function isRunnableTool(tool: Readonly<Record<string, unknown>>): boolean {
  return typeof tool["invoke"] === "function" || typeof tool["func"] === "function";
}

function nameOf(tool: Readonly<Record<string, unknown>>): string | undefined {
  const described = isObject(tool["function"]) ? tool["function"]["name"] : tool["name"];
  return typeof described === "string" ? described : undefined;
}
