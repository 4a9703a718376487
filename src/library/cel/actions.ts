import type { ActionContext } from "../../actions/action.js";
import { andThen, type MaybePromise } from "../../engine/async.js";
import { parseFlowReference } from "../../engine/flow-reference.js";
import { railPart } from "../rail-code.js";
import type { PrepareTools, RailCode, RailSettings } from "../rail-manifest.js";
import { partOfArguments, partOfResult, readJson, readToolSubject, refuseTool } from "../tool-subject.js";
import { CelCompiler, type CelExpression, type CelOutcome, type CelVariables } from "./expressions.js";

const RAIL = "cel";

type Source = "tool_output" | "tool_input";

/** The variables of expressions by source, with their types in CEL. */
const VARIABLES: Readonly<Record<Source, Readonly<Record<string, string>>>> = {
  tool_output: { args: "map", tool: "string" },
  tool_input: { args: "map", tool: "string", result: "dyn", text: "string" },
};

/** Expressions by the name of the tool. */
type Expressions = ReadonlyMap<string, readonly CelExpression[]>;

type CelPart = Readonly<Record<Source, Expressions>>;

/** Actions of the rail. */
export const actions: RailCode["actions"] = {
  check_tool_call_conditions: ({ argument }, context) => {
    const { name, args } = readToolSubject(context);
    return checkConditions("tool_output", { args: partOfArguments(args, argument), tool: name }, context);
  },

  check_tool_result_conditions: ({ argument }, context) => {
    const { name, args, result } = readToolSubject(context);
    const text = partOfResult(result, argument);
    return checkConditions("tool_input", { args, tool: name, result: readResult(text), text }, context);
  },
};

/** INVARIANT: an expression that cannot be evaluated blocks, whatever the results of the others. */
function checkConditions(source: Source, variables: CelVariables, context: ActionContext): MaybePromise<boolean> {
  return andThen(railPart<CelPart>(context, RAIL), (part) => {
    const expressions = part[source].get(String(variables["tool"])) ?? [];
    const outcomes = expressions.map((expression) => expression.evaluate(variables));
    const first = (outcome: CelOutcome): string =>
      `the expression \`${expressions[outcomes.indexOf(outcome)]?.source.slice(0, 80)}\``;
    if (outcomes.includes("true")) return refuseTool(context, `${first("true")} is true`);
    return outcomes.includes("unclear") ? refuseTool(context, `${first("unclear")} cannot be evaluated`) : true;
  });
}

/** Returns the parsed result if it is a JSON object or list, else the text. */
function readResult(text: string): unknown {
  const value = readJson(text);
  return typeof value === "object" && value !== null ? value : text;
}

/** Compiles the expressions of all tools. */
export function prepare(settings: RailSettings, tools: PrepareTools): CelPart {
  const compileAll = (source: Source): Expressions => {
    const compiler = new CelCompiler(VARIABLES[source]);
    const all = Object.entries(
      settings[source] as Readonly<Record<string, { readonly expressions: readonly string[] }>>,
    );
    reportMissing(
      source,
      new Set(all.flatMap(([tool, { expressions }]) => (expressions.length > 0 ? [tool] : []))),
      tools,
    );
    return new Map(
      all.map(([tool, { expressions }]) => [
        tool,
        expressions.flatMap((text, index) => {
          const compiled = compiler.compile(text);
          if ("evaluate" in compiled) return [compiled];
          tools.report({ path: [source, tool, "expressions", index], ...compiled });
          return [];
        }),
      ]),
    );
  };
  return { tool_output: compileAll("tool_output"), tool_input: compileAll("tool_input") };
}

/** INVARIANT: a tool for which the rail is listed has an expression. */
function reportMissing(source: Source, known: ReadonlySet<string>, { config, report }: PrepareTools): void {
  const rail = `cel check ${source.replace("_", " ")}`;
  const isListed = (texts: readonly string[]): boolean => texts.some((text) => parseFlowReference(text).id === rail);
  const { flows, shadow, per_tool: perTool, shadow_per_tool: shadowPerTool } = config.rails[source];
  const hint = `add \`rails.config.cel.${source}.<tool>.expressions\`, or take the rail off the list`;
  if (known.size === 0 && isListed([...flows, ...shadow])) {
    report({ path: [source], message: `\`${rail}\` is listed and no tool has expressions`, hint });
  }
  for (const [tool, texts] of [...Object.entries(perTool), ...Object.entries(shadowPerTool)]) {
    if (isListed(texts) && !known.has(tool)) {
      report({ path: [source, tool], message: `\`${rail}\` is listed for a tool without expressions`, hint });
    }
  }
}
