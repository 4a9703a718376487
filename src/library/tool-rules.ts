import { compileJsonSchema } from "../actions/json-schema.js";
import { hasParse, isStandardSchema, type ParsingSchema, type StandardSchema } from "../actions/parameter-schema.js";
import { isMap } from "../engine/plain-data.js";
import type { Pattern } from "../expressions/values/pattern.js";

/** A schema of zod or of any Standard Schema library, or a JSON Schema. */
export type ValueSchema = ParsingSchema | StandardSchema | Readonly<Record<string, unknown>>;

/** Rules on the arguments and the result of one tool. */
export interface ToolRule {
  /** Schema of the arguments. */
  readonly arguments?: ValueSchema | undefined;
  /** Schema of the result, as text or read as JSON. */
  readonly result?: ValueSchema | undefined;
  /** Patterns that no argument may match. */
  readonly forbiddenInArguments?: readonly string[] | undefined;
  /** Patterns that the result may not match. */
  readonly forbiddenInResults?: readonly string[] | undefined;
}

/**
 * Rules for tools, in addition to the flows listed under `rails.tool_output` and `rails.tool_input`. Patterns run in linear
 * time.
 *
 * @example
 * ```ts
 * const toolRules = {
 *   allowed: ["search", "refund"],
 *   tools: { refund: { arguments: z.object({ amount: z.number().max(100) }), forbiddenInResults: ["(?i)password"] } },
 * };
 * const guardrails = await Guardrails.fromConfig({ config: {} }, { toolRules });
 * ```
 */
export interface ToolRules {
  /** The only tools that may be called; default: all. */
  readonly allowed?: readonly string[] | undefined;
  /** Patterns that no argument of any tool may match. */
  readonly forbiddenInArguments?: readonly string[] | undefined;
  /** Patterns that the result of no tool may match. */
  readonly forbiddenInResults?: readonly string[] | undefined;
  /** Further rules by the name of the tool. */
  readonly tools?: Readonly<Record<string, ToolRule>> | undefined;
}

/** Returns the first place where a value does not match a schema; undefined if it matches. */
type FindMismatch = (value: unknown) => string | undefined;

export interface CompiledRule {
  readonly arguments?: FindMismatch;
  readonly result?: FindMismatch;
  readonly forbiddenInArguments: readonly Pattern[];
  readonly forbiddenInResults: readonly Pattern[];
}

export interface CompiledToolRules {
  readonly allowed: ReadonlySet<string> | undefined;
  readonly general: CompiledRule;
  readonly tools: ReadonlyMap<string, CompiledRule>;
}

/** A schema or a pattern that is not valid, with its path in the configuration. */
export interface RuleProblem {
  readonly path: readonly (string | number)[];
  readonly message: string;
  readonly hint?: string | undefined;
}

/** Name of the service with the compiled rules, for actions. */
export const TOOL_RULES_SERVICE = "toolRules";

/**
 * Merges and compiles rules, and reports everything in them that is not valid. If several lists of allowed tools exist, a tool must
 * be in all of them; of two schemas for one tool, the later one applies.
 */
export async function compileToolRules(
  sources: readonly ToolRules[],
): Promise<{ readonly rules: CompiledToolRules; readonly problems: readonly RuleProblem[] }> {
  const byTool = new Map<string, ToolRule[]>();
  for (const [name, rule] of sources.flatMap(({ tools = {} }) => Object.entries(tools))) {
    byTool.set(name, [...(byTool.get(name) ?? []), rule]);
  }
  // The engine for patterns is slow to load.
  const needsPatterns = [sources, ...byTool.values()].flat().some(mentionsPattern);
  const engine = needsPatterns ? await import("../expressions/values/pattern.js") : undefined;
  const compiler = new RuleCompiler(engine?.compilePattern);
  const general = compiler.compile(sources, []);
  const tools = new Map([...byTool].map(([name, rules]) => [name, compiler.compile(rules, ["per_tool", name])]));
  const [first, ...others] = sources.flatMap(({ allowed }) => (allowed === undefined ? [] : [allowed]));
  const allowed = first && new Set(first.filter((name) => others.every((list) => list.includes(name))));
  return { rules: { allowed, general, tools }, problems: compiler.problems };
}

function mentionsPattern(rule: ToolRule): boolean {
  const { arguments: given, result, forbiddenInArguments = [], forbiddenInResults = [] } = rule;
  return (
    forbiddenInArguments.length + forbiddenInResults.length > 0 ||
    [given, result].some((schema) => isJsonSchema(schema) && JSON.stringify(schema).includes('"pattern"'))
  );
}

type Path = RuleProblem["path"];

class RuleCompiler {
  readonly problems: RuleProblem[] = [];
  readonly #compilePattern: ((source: string) => Pattern) | undefined;

  constructor(compilePattern: ((source: string) => Pattern) | undefined) {
    this.#compilePattern = compilePattern;
  }

  compile(rules: readonly ToolRule[], path: Path): CompiledRule {
    const given = rules.findLast((rule) => rule.arguments !== undefined)?.arguments;
    const result = rules.findLast((rule) => rule.result !== undefined)?.result;
    const inArguments = rules.flatMap(({ forbiddenInArguments = [] }) => forbiddenInArguments);
    const inResults = rules.flatMap(({ forbiddenInResults = [] }) => forbiddenInResults);
    return {
      ...(given === undefined ? {} : { arguments: this.#schema(given, [...path, "arguments"], false) }),
      ...(result === undefined ? {} : { result: this.#schema(result, [...path, "result"], true) }),
      forbiddenInArguments: this.#patterns(inArguments, [...path, "forbidden_in_arguments"]),
      forbiddenInResults: this.#patterns(inResults, [...path, "forbidden_in_results"]),
    };
  }

  #patterns(sources: readonly string[], path: Path): Pattern[] {
    return sources.flatMap((source, index) => {
      try {
        return this.#compilePattern?.(source) ?? [];
      } catch (error) {
        this.problems.push({ path: [...path, index], message: (error as Error).message });
        return [];
      }
    });
  }

  #schema(schema: ValueSchema, path: Path, anyValue: boolean): FindMismatch {
    if (hasParse(schema)) return (value) => mismatchOfParse(schema, value);
    if (isStandardSchema(schema)) return (value) => mismatchOfStandard(schema, value);
    const compile = this.#compilePattern;
    const compilePattern =
      compile &&
      ((source: string) => {
        const { program } = compile(source);
        return (text: string): boolean => program.matcher(text).find();
      });
    const compiled = compileJsonSchema(schema, { anyValue, ...(compilePattern ? { compilePattern } : {}) });
    if (compiled.ok) {
      return (value) => {
        const result = compiled.check(value);
        return result.matches ? undefined : result.at || WHOLE;
      };
    }
    this.problems.push(...compiled.problems.map((problem) => ({ ...problem, path: [...path, ...problem.path] })));
    return () => WHOLE;
  }
}

function mismatchOfParse(schema: ParsingSchema, value: unknown): string | undefined {
  try {
    schema.parse(value);
    return undefined;
  } catch (error) {
    return placeOf((error as { issues?: unknown }).issues, schema);
  }
}

function mismatchOfStandard(schema: StandardSchema, value: unknown): string | undefined {
  const outcome = schema["~standard"].validate(value) as { issues?: unknown; then?: unknown };
  // INVARIANT: a value whose check does not finish synchronously does not match.
  if (typeof outcome.then === "function") return "(the schema is asynchronous)";
  return outcome.issues === undefined ? undefined : placeOf(outcome.issues, schema);
}

const MAX_PLACE = 80;
const WHOLE = "(the whole)";

/**
 * Returns the path of the first issue, up to the last key that the schema declares.
 * INVARIANT: the reason of a block contains neither values nor keys that a model wrote.
 */
function placeOf(issues: unknown, schema: unknown): string {
  const first: unknown = Array.isArray(issues) ? issues[0] : undefined;
  const path = (first as { path?: unknown } | undefined)?.path;
  const declared: PropertyKey[] = [];
  let current = schema;
  for (const step of Array.isArray(path) ? (path as readonly unknown[]) : []) {
    const key = ((step as { key?: unknown } | null)?.key ?? step) as PropertyKey;
    const { shape, element } = partsOf(current);
    current =
      typeof key === "number" ? element : isMap(shape) && Object.hasOwn(shape, key) ? shape[String(key)] : undefined;
    if (current === undefined) break;
    declared.push(key);
  }
  return declared.length === 0 ? WHOLE : declared.map(String).join(".").slice(0, MAX_PLACE);
}

const MAX_WRAPPERS = 16;

/** Returns the keys or the items of a zod schema, also inside of wrappers such as `optional` and `default`. */
function partsOf(schema: unknown): { readonly shape?: unknown; readonly element?: unknown } {
  let current = schema as { _def?: Readonly<Record<string, unknown>>; shape?: unknown; element?: unknown } | undefined;
  for (let depth = 0; depth < MAX_WRAPPERS; depth += 1) {
    const inner = current?._def?.["innerType"] ?? current?._def?.["in"];
    if (typeof inner !== "object" || inner === null) break;
    current = inner;
  }
  return current ?? {};
}

function isJsonSchema(schema: ValueSchema | undefined): boolean {
  return isMap(schema) && !hasParse(schema) && !isStandardSchema(schema);
}
