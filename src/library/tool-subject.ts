import type { ActionContext } from "../actions/action.js";
import { InputShapeError } from "../diagnostics/errors.js";
import { isMap, readOwn } from "../engine/plain-data.js";
import { parseUniqueJson } from "../engine/unique-json.js";
import { ENGINE_LIMITS, type Mapper, mapParts, type Visit, visitParts, type WalkLimits } from "../engine/walk.js";
import { type CompiledRule, type CompiledToolRules, TOOL_RULES_SERVICE } from "./tool-rules.js";

/**
 * Reads the tool call or result that a rail checks from the variables of the runtime; `problem` is the reason why the call
 * cannot be checked.
 */
export function readToolSubject({ context, services }: ActionContext) {
  const variable = (name: string): unknown => (Object.hasOwn(context, name) ? context[name] : undefined);
  const text = (value: unknown): string => (typeof value === "string" ? value : "");
  const problem = variable("tool_problem");
  const rules = services[TOOL_RULES_SERVICE] as CompiledToolRules | undefined;
  const name = text(variable("tool_name"));
  const rule: CompiledRule | undefined = rules?.tools.get(name);
  return {
    name,
    args: variable("tool_args"),
    problem: typeof problem === "string" && problem !== "" ? problem : undefined,
    result: text(variable("tool_message")),
    rules,
    rule,
  };
}

const LIMITS: WalkLimits = { ...ENGINE_LIMITS, values: 10_000 };

/** For values that have been read before, and those of a text: a walk takes linear time. */
const NO_LIMITS: WalkLimits = { depth: Infinity, values: Infinity };

/** Returns all texts, numbers and keys in arguments. Undefined if there are more than the limit. */
export function textsOf(args: unknown, limits: WalkLimits = LIMITS): readonly string[] | undefined {
  const texts: string[] = [];
  const isWhole = visitParts(
    args,
    (part, key) => {
      if (key !== undefined) texts.push(key);
      if (isText(part)) texts.push(String(part));
    },
    limits,
  );
  return isWhole ? texts : undefined;
}

/**
 * Returns the texts and numbers of each outermost list, joined by the separator: a text may be split over the items of a list, such
 * as `["rm", "-rf /"]`.
 */
export function joinedLists(value: unknown, separator: string): readonly string[] {
  const lists = outermostLists(value).map(itemsOf);
  return lists.filter(({ length }) => length > 1).map((items) => items.join(separator));
}

/**
 * Returns the texts that some items of a list are searched as: joined by blanks and, unless all are numbers, which any two may form
 * together, without anything in between.
 */
export function joinsOf(items: readonly string[]): readonly { readonly separator: string; readonly text: string }[] {
  if (items.length < 2) return [];
  const separators = items.some((item) => /[^\d\s.,-]/.test(item)) ? [" ", ""] : [" "];
  return separators.map((separator) => ({ separator, text: items.join(separator) }));
}

/** Returns the texts and numbers of a list and of all lists and objects in it, in order. */
export function itemsOf(list: readonly unknown[]): readonly string[] {
  const items: string[] = [];
  visitParts(list, (item) => void (isText(item) && items.push(String(item))), NO_LIMITS);
  return items;
}

/** Returns the outermost lists of a value. INVARIANT: no part is in two of them, so together they are not longer than the value. */
export function outermostLists(value: unknown): readonly (readonly unknown[])[] {
  const lists: (readonly unknown[])[] = [];
  const visit: Visit = (part) => {
    if (!Array.isArray(part)) return;
    lists.push(part);
    return false;
  };
  visitParts(value, visit, NO_LIMITS);
  return lists;
}

/**
 * Returns a copy of a list with other texts in place of those of `itemsOf`, and with other keys; the list itself if all are the
 * same. Booleans stay.
 *
 * @throws InputShapeError for a list beyond the limits of the engine, and if two keys become the same
 */
export function withItems(list: readonly unknown[], items: readonly string[], keys: Pick<Mapper, "key">): unknown {
  let next = 0;
  const leaf = (value: unknown): unknown => {
    if (!isText(value)) return value;
    const item = items[next++];
    return item === undefined || typeof value === "boolean" || item === String(value) ? value : item;
  };
  const whole = (value: object, parts: () => unknown): unknown => withAllKeys(value, parts());
  return mapParts(list, { leaf, whole, ...keys }, ENGINE_LIMITS);
}

/**
 * Returns the copy of an object whose keys were rewritten.
 *
 * @throws InputShapeError if two of its keys became the same
 */
export function withAllKeys(value: object, copy: unknown): unknown {
  if (copy !== value && Object.keys(copy as object).length < Object.keys(value).length) {
    throw new InputShapeError("two keys of an object are the same after values in them were replaced");
  }
  return copy;
}

/**
 * Returns a result as text. Of a result in JSON, also its values as texts, one in a line, and the joined items of its lists: in
 * the text itself, quotes, commas and escapes stand in between.
 */
export function textsOfResult(result: string): readonly string[] {
  const data = readJson(result);
  if (typeof data !== "object" || data === null) return [result];
  const texts = [textsOf(data, NO_LIMITS) ?? [], joinedLists(data, " "), joinedLists(data, "")];
  return [result, ...texts.filter(({ length }) => length > 0).map((lines) => lines.join("\n"))];
}

function isText(part: unknown): boolean {
  return part !== null && ["string", "number", "boolean", "bigint"].includes(typeof part);
}

/**
 * Returns the value of the named argument. INVARIANT: arguments without it are checked as a whole, as results are, so that a
 * misspelt name leaves no call unchecked.
 */
export function argumentOf(args: unknown, name: unknown): unknown {
  return typeof name === "string" && isMap(args) && Object.hasOwn(args, name) ? args[name] : args;
}

/** Returns the arguments with the named one alone; all of them if it is not among them. */
export function partOfArguments(args: unknown, name: unknown): unknown {
  const value = argumentOf(args, name);
  return value === args ? args : { [String(name)]: value };
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
  const value = readJson(result);
  const part = isMap(value) ? readOwn(value, field) : undefined;
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
