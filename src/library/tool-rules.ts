import { parserOfJsonSchema } from "../actions/json-schema-parameters.js";
import type { ParsingSchema, StandardSchema } from "../actions/parameter-schema.js";
import { ActionError } from "../diagnostics/errors.js";
import type { Pattern } from "../expressions/values/pattern.js";

/** Of zod, of any Standard Schema library, or a JSON schema. */
export type ValueSchema = ParsingSchema | StandardSchema | Readonly<Record<string, unknown>>;

/** What one tool may be given and may answer. */
export interface ToolRule {
  /** The arguments must fit it. */
  readonly arguments?: ValueSchema | undefined;
  /** The result must fit it, as it is or read as JSON. */
  readonly result?: ValueSchema | undefined;
  /** Patterns that no argument may match. */
  readonly forbiddenInArguments?: readonly string[] | undefined;
  /** Patterns that the result may not match. */
  readonly forbiddenInResults?: readonly string[] | undefined;
}

/**
 * Rules for tools, beside the flows listed under `rails.tool_output` and `rails.tool_input`. Patterns take linear time,
 * whatever they are given.
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
  /** The only tools that may be called; all unless told. */
  readonly allowed?: readonly string[] | undefined;
  /** Patterns that no argument of any tool may match. */
  readonly forbiddenInArguments?: readonly string[] | undefined;
  /** Patterns that the result of no tool may match. */
  readonly forbiddenInResults?: readonly string[] | undefined;
  /** Further rules by the name of the tool. */
  readonly tools?: Readonly<Record<string, ToolRule>> | undefined;
}

/** Rules of which no list is missing. */
export interface JoinedRule extends ToolRule {
  readonly forbiddenInArguments: readonly string[];
  readonly forbiddenInResults: readonly string[];
}

export interface JoinedRules extends JoinedRule {
  readonly allowed: readonly string[] | undefined;
  readonly tools: Readonly<Record<string, JoinedRule>>;
}

/** A schema ready to use: where a value does not fit, as a path; undefined when it fits. */
export type FindMisfit = (value: unknown) => string | undefined;

export interface CompiledRule {
  readonly arguments?: FindMisfit;
  readonly result?: FindMisfit;
  readonly forbiddenInArguments: readonly Pattern[];
  readonly forbiddenInResults: readonly Pattern[];
}

export interface CompiledToolRules {
  readonly allowed: ReadonlySet<string> | undefined;
  readonly general: CompiledRule;
  readonly tools: ReadonlyMap<string, CompiledRule>;
}

/** The name under which actions find the compiled rules among their services. */
export const TOOL_RULES_SERVICE = "toolRules";

/**
 * Makes rules ready to use.
 *
 * @throws ActionError for a schema that cannot be honoured, ExpressionError for a pattern that cannot
 */
export async function compileToolRules(rules: JoinedRules): Promise<CompiledToolRules> {
  const compile = await patternCompiler(rules);
  const tools = new Map<string, CompiledRule>();
  for (const [name, rule] of Object.entries(rules.tools)) tools.set(name, compileRule(name, rule, compile));
  return {
    allowed: rules.allowed === undefined ? undefined : new Set(rules.allowed),
    general: compileRule("", rules, compile),
    tools,
  };
}

type CompilePattern = (source: string) => Pattern;

/** The engine for patterns is loaded only where there are some. */
async function patternCompiler(rules: JoinedRules): Promise<CompilePattern> {
  const needed = [rules, ...Object.values(rules.tools)].some(
    ({ arguments: given, result, forbiddenInArguments, forbiddenInResults }) =>
      [...forbiddenInArguments, ...forbiddenInResults].length > 0 || mentionsPattern(given) || mentionsPattern(result),
  );
  if (!needed) return () => missingEngine();
  const { compilePattern } = await import("../expressions/values/pattern.js");
  return compilePattern;
}

function missingEngine(): never {
  throw new ActionError("a pattern stands where none was expected", { action: "check_tool_call" });
}

function mentionsPattern(schema: unknown): boolean {
  return isPlainSchema(schema) && JSON.stringify(schema).includes('"pattern"');
}

function compileRule(name: string, rule: JoinedRule, compile: CompilePattern): CompiledRule {
  return {
    ...(rule.arguments === undefined ? {} : { arguments: misfitsOf(rule.arguments, { tool: name, compile }) }),
    ...(rule.result === undefined ? {} : { result: misfitsOf(rule.result, { tool: name, compile, anyValue: true }) }),
    forbiddenInArguments: rule.forbiddenInArguments.map(compile),
    forbiddenInResults: rule.forbiddenInResults.map(compile),
  };
}

interface SchemaPlace {
  readonly tool: string;
  readonly compile: CompilePattern;
  readonly anyValue?: boolean;
}

function misfitsOf(schema: ValueSchema, { tool, compile, anyValue = false }: SchemaPlace): FindMisfit {
  if (hasParse(schema)) return parsing((value) => schema.parse(value));
  if (isStandard(schema)) return (value) => standardMisfit(schema, value);
  const options = { compilePattern: matcherOf(compile), anyValue };
  return parsing(parserOfJsonSchema(schema as Readonly<Record<string, unknown>>, tool, options));
}

function matcherOf(compile: CompilePattern): (source: string) => (text: string) => boolean {
  return (source) => {
    const { program } = compile(source);
    return (text) => program.matcher(text).find();
  };
}

function parsing(parse: (value: unknown) => unknown): FindMisfit {
  return (value) => {
    try {
      parse(value);
      return undefined;
    } catch (error) {
      return placeOf((error as { issues?: unknown }).issues);
    }
  };
}

function standardMisfit(schema: StandardSchema, value: unknown): string | undefined {
  const outcome = schema["~standard"].validate(value) as { issues?: unknown; then?: unknown };
  // INVARIANT: what cannot be judged now does not fit.
  if (typeof outcome.then === "function") return "(the schema is asynchronous)";
  return outcome.issues === undefined ? undefined : placeOf(outcome.issues);
}

const MAX_PLACE = 80;

/** Only where: what the value was must not be told. */
function placeOf(issues: unknown): string {
  const first: unknown = Array.isArray(issues) ? issues[0] : undefined;
  const path = (first as { path?: unknown } | undefined)?.path;
  const steps = Array.isArray(path)
    ? path.map((step: unknown) => String((step as { key?: unknown })?.key ?? step))
    : [];
  return steps.length === 0 ? "(the whole)" : steps.join(".").slice(0, MAX_PLACE);
}

function hasParse(schema: ValueSchema): schema is ParsingSchema {
  return typeof (schema as { parse?: unknown }).parse === "function";
}

function isStandard(schema: ValueSchema): schema is StandardSchema {
  return typeof (schema as { "~standard"?: { validate?: unknown } })["~standard"]?.validate === "function";
}

function isPlainSchema(schema: unknown): boolean {
  return (
    typeof schema === "object" &&
    schema !== null &&
    !hasParse(schema as ValueSchema) &&
    !isStandard(schema as ValueSchema)
  );
}
