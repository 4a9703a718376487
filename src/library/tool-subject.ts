import type { ActionContext } from "../actions/action.js";
import { parseUniqueJson } from "../engine/unique-json.js";
import { ENGINE_LIMITS, visitParts } from "../engine/walk.js";
import { type CompiledRule, type CompiledToolRules, TOOL_RULES_SERVICE } from "./tool-rules.js";

/**
 * Reads the tool call or result that a rail checks from the variables of the runtime; `problem` is the reason why the call
 * cannot be checked.
 */
export function readToolSubject({ context, services }: ActionContext) {
  const own = (name: string): unknown => (Object.hasOwn(context, name) ? context[name] : undefined);
  const text = (value: unknown): string => (typeof value === "string" ? value : "");
  const problem = own("tool_problem");
  const rules = services[TOOL_RULES_SERVICE] as CompiledToolRules | undefined;
  const name = text(own("tool_name"));
  const rule: CompiledRule | undefined = rules?.tools.get(name);
  return {
    name,
    args: own("tool_args"),
    problem: typeof problem === "string" && problem !== "" ? problem : undefined,
    result: text(own("tool_message")),
    rules,
    rule,
  };
}

const LIMITS = { ...ENGINE_LIMITS, values: 10_000 };

/**
 * Returns all texts, numbers and keys in the arguments, or in the named argument. Undefined if there are more than the limit.
 */
export function textsOfArguments(args: unknown, argument: string | undefined): readonly string[] | undefined {
  const texts: string[] = [];
  const start = argument === undefined ? args : argumentOf(args, argument);
  const isWhole = visitParts(
    start,
    (part, key) => {
      if (key !== undefined) texts.push(key);
      if (part !== null && ["string", "number", "boolean", "bigint"].includes(typeof part)) texts.push(String(part));
    },
    LIMITS,
  );
  return isWhole ? texts : undefined;
}

export function argumentOf(args: unknown, name: string): unknown {
  if (typeof args !== "object" || args === null || !Object.hasOwn(args, name)) return undefined;
  return (args as Readonly<Record<string, unknown>>)[name];
}

/** Blocks a tool call or result. INVARIANT: the reason, part of the decision, contains nothing of the arguments or the result. */
export function refuseTool(context: ActionContext, reason: string): false {
  context.annotate({ reason });
  return false;
}

/**
 * Returns the named field of a result that is a JSON object, as text.
 * INVARIANT: a result without that field is checked as a whole.
 */
export function partOfResult(result: string, field: unknown): string {
  if (typeof field !== "string") return result;
  const part = argumentOf(readJson(result), field);
  return part === undefined ? result : typeof part === "string" ? part : JSON.stringify(part);
}

/** Parses a text as JSON; returns the text itself if it is not valid JSON, or if an object in it has a key twice. */
export function readJson(text: string): unknown {
  try {
    return parseUniqueJson(text);
  } catch {
    return text;
  }
}
