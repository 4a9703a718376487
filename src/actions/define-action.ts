import { checkOptions, type OptionTable } from "../diagnostics/options.js";
import type { ActionDefinition, ActionFunction, ActionParameters } from "./action.js";
import { type ParameterSchema, readParameterSchema } from "./parameter-schema.js";

export interface ActionOptions {
  readonly name: string;
  /** Hide the action from prompts and never send it to an action server. Default: false. */
  readonly system?: boolean;
  /**
   * Promises that the action only judges: it has no effects and needs no variable set by another rail of its stage. A
   * rail made of such actions runs concurrently with others and with a speculative main call; all other rails run
   * before them, in list order. If the action also takes at most one parameter, its verdict on an earlier user message
   * is cached. Default: false.
   */
  readonly verdict?: boolean;
  /**
   * Colang 2.x sessions: process incoming events while the action runs; its end is a separate event. Otherwise they
   * wait for its end. A turn always waits, since no event could follow it. Default: false.
   */
  readonly executeAsync?: boolean;
  /**
   * Colang 2.x: set to `false` if two flows may start the action at the same time, as for actions that only read or
   * record. Default: starting it competes with all other actions of its interaction loop.
   */
  readonly conflicts?: boolean;
  /** Validates the parameters and defines the order of positional arguments. */
  readonly params?: ParameterSchema;
  /** Order of positional arguments, if there is no schema or another order is needed. */
  readonly parameters?: readonly string[];
}

const OPTIONS: OptionTable<ActionOptions> = {
  name: "text",
  system: "boolean",
  verdict: "boolean",
  executeAsync: "boolean",
  conflicts: "boolean",
  params: "any",
  parameters: "object",
};

/**
 * Describes an action: a function that flows run with `execute`.
 *
 * @example
 * ```ts
 * const add = defineAction({ name: "add", params: z.object({ a: z.number(), b: z.number() }) }, ({ a, b }) => a + b);
 * ```
 */
export function defineAction<Params extends ActionParameters = ActionParameters>(
  options: ActionOptions & { readonly params?: ParameterSchema & { parse?(value: unknown): Params } },
  run: (params: Params, context: Parameters<ActionFunction>[1]) => unknown,
): ActionDefinition {
  checkOptions("defineAction", options, OPTIONS, ["name"]);
  checkOptions("defineAction", { run }, { run: "function" }, ["run"]);
  const rules = options.params && readParameterSchema(options.params, options.name);
  const parameters = options.parameters ?? rules?.names;
  const accepts =
    rules === undefined ? (destructuredNames(run) ?? parameters) : rules.isClosed ? rules.names : undefined;
  return Object.freeze({
    kind: "action",
    name: options.name,
    system: options.system ?? false,
    verdict: options.verdict ?? false,
    ...(options.executeAsync === true ? { executeAsync: true } : {}),
    ...(options.conflicts === false ? { conflicts: false } : {}),
    ...(parameters ? { parameters } : {}),
    ...(accepts ? { accepts } : {}),
    ...(rules ? { validate: rules.validate } : {}),
    // INVARIANT: the dispatcher passes what `validate` returned, so the schema's output type holds.
    run: run as ActionFunction,
  } satisfies ActionDefinition);
}

/**
 * Reads the property names that a function destructures from its first parameter, from its source text. Nothing is
 * evaluated; anything but a plain object pattern without a rest (`({ text, limit = 3 }) => …`) is unknown.
 *
 * @returns undefined if the names are unknown
 *
 * @example
 * ```ts
 * destructuredNames(({ text, limit = 3 }) => text.slice(0, limit)); // ["text", "limit"]
 * ```
 */
export function destructuredNames(run: unknown): readonly string[] | undefined {
  return typeof run === "function" ? namesInSource(Function.prototype.toString.call(run)) : undefined;
}

/** Up to the brace of the pattern: an arrow function, a function or a method. */
const HEAD = /^(?:async\s+|async(?=\())?(?:function\b\s*\*?\s*[\w$]*\s*|\*?\s*[\w$]+\s*(?=\())?\(\s*\{/;

/** A blank or a comment, a text, a name, or any other character. */
const PIECE = /(\s+|\/\*[^]*?\*\/|\/\/[^\n]*\n)|("(?:[^"\\\n]|\\.)*"|'(?:[^'\\\n]|\\.)*')|([A-Za-z_$][\w$]*)|./gsu;

const MAX_LENGTH = 2_000;

/** Reads the names from the text of a function. */
export function namesInSource(source: string): readonly string[] | undefined {
  const at = HEAD.exec(source)?.[0].length;
  // `arguments` exposes what the pattern leaves out.
  if (at === undefined || source.includes("arguments")) return undefined;
  const plain = plainNames(source, at);
  if (plain !== undefined) return plain;
  const names: string[] = [];
  /** Number of open brackets in a target or default; undefined where a name is expected. */
  let depth: number | undefined;
  for (const [piece, blank, text, name] of source.slice(at, at + MAX_LENGTH).matchAll(PIECE)) {
    if (blank !== undefined) continue;
    if (!depth && piece === "}") return names;
    if (depth === undefined) {
      const found = name ?? text?.slice(1, -1);
      // A rest or a computed key.
      if (found === undefined) return undefined;
      names.push(found);
      depth = 0;
    } else if (depth === 0 && piece === ",") depth = undefined;
    else if (piece === "`" || piece === "/") {
      // A template or regular expression may contain any bracket.
      return undefined;
    } else if ("([{".includes(piece)) depth += 1;
    else if (")]}".includes(piece) && (depth -= 1) < 0) return undefined;
  }
  return undefined;
}

/**
 * Returns true if a function may read more than its first parameter: its source declares or might declare another one, as
 * `(params, context = {})` and `(params, ...rest)` do without counting towards `length`.
 *
 * @example
 * ```ts
 * readsContext(({ text }) => text !== ""); // false
 * ```
 */
export function readsContext(run: (...parameters: never[]) => unknown): boolean {
  return run.length > 1 || declaresSecond(Function.prototype.toString.call(run));
}

/** Parameters of an arrow function without parentheses. */
const BARE = /^(?:async\s+)?[\w$]+\s*=>/;

/** Up to the parenthesis of the parameters: an arrow function, a function or a method. */
const PARAMETERS = /^(?:async\s+|async(?=\())?(?:function\b\s*\*?\s*[\w$]*\s*|\*?\s*[\w$]+\s*(?=\())?\(/;

/** Returns true unless the text of a function shows that it has at most one parameter. */
export function declaresSecond(source: string): boolean {
  if (source.includes("arguments") || source.includes("[native code]")) return true;
  if (BARE.test(source)) return false;
  const at = PARAMETERS.exec(source)?.[0].length;
  if (at === undefined) return true;
  let depth = 0;
  let before = "";
  for (const [piece, blank] of source.slice(at, at + MAX_LENGTH).matchAll(PIECE)) {
    if (blank !== undefined) continue;
    if (depth === 0 && piece === ")") return false;
    // A rest, a second parameter, or a template or regular expression, which may contain any bracket.
    if ((depth === 0 && (piece === "." || before === ",")) || piece === "`" || piece === "/") return true;
    if ("([{".includes(piece)) depth += 1;
    else if (")]}".includes(piece)) depth -= 1;
    before = depth === 0 ? piece : "";
  }
  return true;
}

/** Names with optional targets: most patterns have no defaults and need no token-wise reading. */
const PLAIN_PART = /^\s*([A-Za-z_$][\w$]*)\s*(?::\s*[A-Za-z_$][\w$]*\s*)?$/;

function plainNames(source: string, at: number): readonly string[] | undefined {
  const end = source.indexOf("}", at);
  if (end === -1 || end - at > MAX_LENGTH) return undefined;
  const parts = source.slice(at, end).split(",");
  const names: string[] = [];
  for (const part of parts) {
    const name = PLAIN_PART.exec(part);
    if (name !== null) names.push(name[1] ?? "");
    else if (part.trim() !== "") return undefined;
  }
  return names;
}
