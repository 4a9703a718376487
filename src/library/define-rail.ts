import type { ActionContext, ActionFunction, VerdictDetails } from "../actions/action.js";
import { type ParameterSchema, readParameterSchema } from "../actions/parameter-schema.js";
import { createDiagnostic } from "../diagnostics/diagnostic.js";
import { ConfigError } from "../diagnostics/errors.js";
import { checkOptions, type OptionTable } from "../diagnostics/options.js";
import { andThen, isPromise, type MaybePromise } from "../engine/async.js";
import { isMap, omitUndefined } from "../engine/plain-data.js";
import { railPart } from "./rail-code.js";
import type { PrepareTools, RailFlow, RailManifest, RailSettings } from "./rail-manifest.js";
import { rewriteItems } from "./split-values.js";
import { rewriteSubject, type Source, SOURCES, searchedTexts } from "./subject.js";

/** Verdict of a check: true blocks. */
export type RailVerdict = boolean | ({ readonly blocked: boolean } & VerdictDetails);

/** Context of a check: the context of an action, and the settings of the rail. */
export interface RailContext extends ActionContext {
  /** `rails.config.<key>`, parsed by the schema of the rail. */
  readonly settings: RailSettings;
}

interface DefinedFlowBase {
  /** Name of the flow in lists of a configuration. */
  readonly name: string;
  readonly stage: Source;
  /** Bot message of a block; default: `refuse to respond`. */
  readonly refusal?: string;
  /** Event that replaces the refusal if `enable_rails_exceptions` is set; default: `InputRailException` and the like. */
  readonly exception?: string;
}

/** Flow that judges a text. */
export interface CheckFlow extends DefinedFlowBase {
  /** Smallest part of a streamed message that the output rail can check; default: `window`. */
  readonly stream?: "window" | "answer";
  /** Returns the verdict on a text: a message, a retrieved chunk, or a text in the arguments of a tool. */
  check(text: string, context: RailContext): MaybePromise<RailVerdict>;
}

/** Flow that rewrites a text. */
export interface RewriteFlow extends DefinedFlowBase {
  /** Smallest part of a streamed message that the flow can rewrite; default: `answer`. */
  readonly stream?: "word" | "line" | "answer";
  /**
   * Returns the replacement for a text: a message, a retrieved chunk, or a text or number in the arguments of a tool. The call of
   * a tool fails if the replacement of the joined items of a list differs from the items where two of them meet.
   */
  rewrite(text: string, context: RailContext): string;
}

/** Description of a rail for `defineRail`. */
export interface RailDefinition {
  /** Name in kebab case. In `rails.config`, its key has underscores instead of hyphens. */
  readonly name: string;
  /** Title in the catalogue; default: the name. */
  readonly title?: string;
  /** One sentence for the catalogue; default: empty. */
  readonly summary?: string;
  readonly flows: readonly (CheckFlow | RewriteFlow)[];
  /** Schema of the settings (zod, Standard Schema or JSON Schema); default: the rail has no settings. */
  readonly settings?: ParameterSchema;
  /** Cost of a check; default: `local`. */
  readonly cost?: "local" | "model" | "network";
  /** Data that leave the process; default: none. */
  readonly leaves?: string;
}

const DEFINITION: OptionTable<RailDefinition> = {
  name: "text",
  title: "text",
  summary: "text",
  flows: { options: {}, orList: true },
  settings: "any",
  cost: { oneOf: ["local", "model", "network"] },
  leaves: "text",
};

const FLOW: OptionTable<Omit<CheckFlow, "stream"> & Omit<RewriteFlow, "stream"> & Pick<RailFlow, "stream">> = {
  name: "text",
  stage: { oneOf: [...SOURCES] },
  refusal: "text",
  exception: "text",
  stream: { oneOf: ["window", "word", "line", "answer"] },
  check: "function",
  rewrite: "function",
};

/**
 * Defines a rail for the option `library` of `Guardrails.fromPath` and `fromConfig`. Its flows work in both dialects; a
 * configuration lists them under `rails.<stage>.flows`.
 *
 * @throws ConfigError that lists all problems of the definition
 *
 * @example
 * ```ts
 * const politeness = defineRail({
 *   name: "politeness",
 *   flows: [{ name: "politeness check output", stage: "output", check: (text) => /shut up/i.test(text) }],
 * });
 * const guardrails = await Guardrails.fromConfig(
 *   { config: { rails: { output: { flows: ["politeness check output"] } } } },
 *   { library: [politeness] },
 * );
 * ```
 */
export function defineRail(definition: RailDefinition): RailManifest {
  checkDefinition(definition);
  const { name, title = name, summary = "", flows, settings, cost = "local", leaves } = definition;
  const rules = settings === undefined ? undefined : readParameterSchema(settings, name);
  const actions = Object.fromEntries(flows.map((flow) => [actionName(flow.name), actionOf(name, flow)]));
  const key = name.replaceAll("-", "_");
  return Object.freeze({
    name,
    title,
    summary,
    flows: flows.map(manifestFlow),
    cost,
    actions: flows.map((flow) => ({
      name: actionName(flow.name),
      parameters: ["source", "text", "variant"],
      verdict: "check" in flow,
    })),
    load: () =>
      Promise.resolve({
        actions,
        prepare: (given: RailSettings, { report }: PrepareTools) =>
          rules === undefined ? {} : readSettings(name, () => rules.validate(given), report),
      }),
    ...(rules === undefined ? {} : { settings: key }),
    ...omitUndefined({ leaves }),
  });
}

function readSettings(rail: string, read: () => RailSettings, report: PrepareTools["report"]): RailSettings {
  const hint = `the schema of the rail \`${rail}\` decides which values are valid`;
  try {
    return read();
  } catch (error) {
    const { issues } = error as { readonly issues?: unknown };
    const known = Array.isArray(issues) ? issues.filter(isIssue) : [];
    for (const { path, message } of known) report({ path: path.filter(isKey), message, hint });
    if (known.length === 0) report({ path: [], message: error instanceof Error ? error.message : String(error), hint });
    return {};
  }
}

/** Returns true for an issue of zod or of a similar library. */
function isIssue(value: unknown): value is { readonly path: readonly unknown[]; readonly message: string } {
  return isMap(value) && Array.isArray(value["path"]) && typeof value["message"] === "string";
}

function isKey(value: unknown): value is string | number {
  return typeof value === "string" || typeof value === "number";
}

function manifestFlow(flow: CheckFlow | RewriteFlow): RailFlow {
  const { name, stage, refusal, exception } = flow;
  const rewrites = "rewrite" in flow;
  const runs = { action: actionName(name), ...omitUndefined({ refusal, exception }) };
  return { name, stage, rewrites, stream: flow.stream ?? (rewrites ? "answer" : "window"), runs };
}

/** Returns the name of a flow's action. It is unique: flow names are, and no action of the package has this prefix. */
function actionName(flow: string): string {
  return `own_rail_${flow.replaceAll(" ", "_")}`;
}

function actionOf(rail: string, flow: CheckFlow | RewriteFlow): ActionFunction {
  return ({ source, text }, context) =>
    andThen(railPart<RailSettings>(context, rail), (settings) => {
      const flowContext = contextWith(context, settings);
      if ("rewrite" in flow) {
        const rewrite = (passage: string): string => flow.rewrite(passage, flowContext);
        return rewriteSubject(source, context, text, { text: rewrite, items: (items) => rewriteItems(items, rewrite) });
      }
      return findBlocked(searchedTexts(source, context, text), 0, flow, flowContext);
    });
}

/** Returns the context of the action with the settings. A copy would lose the getters of the class, such as `signal` and `llm`. */
function contextWith(context: ActionContext, settings: RailSettings): RailContext {
  const get = (target: ActionContext, key: string | symbol): unknown =>
    key === "settings" ? settings : (Reflect.get(target, key, target) as unknown);
  return new Proxy(context, { get }) as RailContext;
}

/** Checks the texts in order, up to the first that is blocked. Synchronous checks run in a loop, since there may be thousands. */
function findBlocked(
  texts: readonly string[],
  start: number,
  flow: CheckFlow,
  context: RailContext,
): MaybePromise<boolean> {
  for (let index = start; index < texts.length; index += 1) {
    const verdict = flow.check(texts[index] ?? "", context);
    if (isPromise(verdict)) {
      return verdict.then((late) => isBlock(late, context) || findBlocked(texts, index + 1, flow, context));
    }
    if (isBlock(verdict, context)) return true;
  }
  return false;
}

/** Returns true for a block, and adds the details of the verdict to the decision. */
function isBlock(verdict: RailVerdict, context: RailContext): boolean {
  if (typeof verdict !== "object") return verdict;
  const { blocked, ...details } = verdict;
  context.annotate(details);
  return blocked;
}

const NAME = /^[a-z][a-z0-9]*(?:-[a-z0-9]+)*$/;
const FLOW_NAME = /^[a-z][a-z0-9]*(?: [a-z][a-z0-9]*)*$/;

function checkDefinition(definition: RailDefinition): void {
  checkOptions("defineRail", definition, DEFINITION, ["name", "flows"]);
  const { name, flows } = definition;
  const problems = [];
  if (!NAME.test(name)) {
    problems.push(problem("name", `\`${name}\` is not a valid name of a rail`, "write it like `my-rail`"));
  }
  if (flows.length === 0) problems.push(problem("flows", "the rail has no flows", "add one with `check` or `rewrite`"));
  for (const [index, flow] of flows.entries()) {
    checkOptions(`defineRail: flows[${index}]`, flow, FLOW, ["name", "stage"]);
    const path = `flows[${index}]`;
    if (!FLOW_NAME.test(flow.name)) {
      const hint = "write it in lower case, like `politeness check output`";
      problems.push(problem(`${path}.name`, `\`${flow.name}\` is not a valid name of a flow`, hint));
    }
    if ("check" in flow === "rewrite" in flow) {
      problems.push(problem(path, "the flow needs either `check` or `rewrite`", "keep one of the two"));
    }
  }
  if (problems.length > 0) throw new ConfigError(problems);
}

function problem(path: string, message: string, hint: string) {
  return createDiagnostic("CF-104", message, { path: `defineRail: ${path}`, hint });
}
