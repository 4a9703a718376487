import { formatPath } from "../../config/yaml/raw-node.js";
import { createDiagnostic, type Diagnostic } from "../../diagnostics/diagnostic.js";
import { ConfigError } from "../../diagnostics/errors.js";
import { checkOptions, type OptionTable } from "../../diagnostics/options.js";
import { parseFlowReference } from "../../engine/flow-reference.js";
import type { RailsConfig } from "../../config/rails-config.js";
import type { RailsSection } from "../../config/settings.js";
import { type CompiledToolRules, compileToolRules, type ToolRule, type ToolRules } from "../../library/tool-rules.js";
import { readOwn } from "../../engine/plain-data.js";
import { listedToolRails } from "../../rails/tools/tool-rails.js";
import { settingProblem } from "./prepare-rails.js";
import type { ToolStage } from "../../turn/decision.js";

/** `rails.config.tools` after schema validation. */
interface ToolSettings extends ToolRuleSettings {
  readonly allowed: readonly string[] | null;
  readonly per_tool: Readonly<Record<string, ToolRuleSettings>>;
}

interface ToolRuleSettings {
  readonly arguments?: Readonly<Record<string, unknown>> | null;
  readonly result?: Readonly<Record<string, unknown>> | null;
  readonly forbidden_in_arguments: readonly string[];
  readonly forbidden_in_results: readonly string[];
}

const RULE: OptionTable<ToolRule> = {
  arguments: "any",
  result: "any",
  forbiddenInArguments: "names",
  forbiddenInResults: "names",
};
const RULES: OptionTable<ToolRules> = {
  allowed: "names",
  forbiddenInArguments: "names",
  forbiddenInResults: "names",
  tools: "object",
};

/**
 * Merges and compiles the rules of the configuration and of the option `toolRules`.
 *
 * @throws ConfigError `CF-103` and `CF-104` for an unknown key, an invalid value, schema or pattern
 */
export async function readToolRules(
  config: RailsConfig,
  callerRules: ToolRules | undefined,
): Promise<CompiledToolRules | undefined> {
  const settings = config.settings.rails.config["tools"] as ToolSettings | undefined;
  if (settings === undefined && callerRules === undefined) return undefined;
  checkOptions("toolRules", callerRules, RULES);
  for (const [name, rule] of Object.entries(callerRules?.tools ?? {}))
    checkOptions(`toolRules.tools.${name}`, rule ?? null, RULE);
  const { rules, problems } = await compileToolRules([
    settings === undefined ? {} : toRules(settings),
    callerRules ?? {},
  ]);
  if (problems.length === 0) return rules;
  throw new ConfigError(problems.map((problem) => settingProblem(config, "tools", problem)));
}

/**
 * INVARIANT: rules enable the rails that check them, listed or not. A reference with parameters, such as `$argument=to`, takes the
 * place of such a rail, for all tools or for one.
 */
export function withRuleRails(config: RailsConfig, rules: CompiledToolRules | undefined): RailsConfig {
  if (rules === undefined) return config;
  const all = [rules.general, ...rules.tools.values()];
  const { rails } = config.settings;
  const tool_output = implied(rails, "tool_output", [
    ["tool call validation", rules.allowed !== undefined || all.some((rule) => rule.arguments !== undefined)],
    ["regex check tool output", all.some((rule) => rule.forbiddenInArguments.length > 0)],
  ]);
  const tool_input = implied(rails, "tool_input", [
    ["tool result validation", all.some((rule) => rule.result !== undefined)],
    ["regex check tool input", all.some((rule) => rule.forbiddenInResults.length > 0)],
  ]);
  return withRails(config, { tool_output, tool_input });
}

const PATTERN_RAILS = {
  "regex check tool output": "forbiddenInArguments",
  "regex check tool input": "forbiddenInResults",
} as const;

/** Warns of listed pattern rails without a pattern for any of their tools. */
export function warnWithoutPatterns(config: RailsConfig, rules: CompiledToolRules | undefined): readonly Diagnostic[] {
  const all = rules === undefined ? [] : [rules.general, ...rules.tools.values()];
  return listedToolRails(config.settings.rails).flatMap(({ text, path }) => {
    const { id } = parseFlowReference(text);
    const key = readOwn(PATTERN_RAILS, id) as (typeof PATTERN_RAILS)[keyof typeof PATTERN_RAILS] | undefined;
    if (key === undefined || all.some((rule) => rule[key].length > 0)) return [];
    const message = `there are no patterns for \`${id}\` to look for, so it lets everything pass`;
    const setting = key === "forbiddenInArguments" ? "forbidden_in_arguments" : "forbidden_in_results";
    const hint = `add \`rails.config.tools.${setting}\`, or take the rail off the list`;
    return createDiagnostic("CF-210", message, { span: config.spanOf(path), path: formatPath(path), hint });
  });
}

/** `rails.config.cel` after schema validation. */
type ConditionSettings = Readonly<Record<ToolStage, Readonly<Record<string, unknown>>>>;

/**
 * INVARIANT: conditions on a tool enable the rail that checks them, listed or not. A reference with parameters, such as
 * `$argument=to`, takes its place.
 */
export function withConditionRails(config: RailsConfig): RailsConfig {
  const { rails } = config.settings;
  const settings = rails.config["cel"] as ConditionSettings | undefined;
  if (settings === undefined) return config;
  const sectionOf = (stage: ToolStage): RailsSection[ToolStage] => {
    const rail = CONDITIONS[stage];
    const { flows, shadow, per_tool: perTool, shadow_per_tool: shadows } = rails[stage];
    const isListed = (text: string): boolean => parseFlowReference(text).id === rail;
    if (flows.some(isListed) || shadow.includes(rail)) return rails[stage];
    const railsOf = (tool: string): readonly string[] => (Object.hasOwn(perTool, tool) ? (perTool[tool] ?? []) : []);
    const added = Object.keys(settings[stage]).filter(
      (tool) =>
        !railsOf(tool).some(isListed) && !(Object.hasOwn(shadows, tool) && shadows[tool]?.includes(rail) === true),
    );
    const listed = added.map((tool) => [tool, [...railsOf(tool), rail]] as const);
    return { ...rails[stage], per_tool: { ...perTool, ...Object.fromEntries(listed) } };
  };
  return withRails(config, { tool_output: sectionOf("tool_output"), tool_input: sectionOf("tool_input") });
}

const CONDITIONS: Readonly<Record<ToolStage, string>> = {
  tool_output: "cel check tool output",
  tool_input: "cel check tool input",
};

/** Returns the configuration with other sections of `rails`. */
export function withRails(config: RailsConfig, sections: Partial<RailsSection>): RailsConfig {
  return { ...config, settings: { ...config.settings, rails: { ...config.settings.rails, ...sections } } };
}

function implied(
  rails: RailsSection,
  stage: ToolStage,
  needed: readonly (readonly [rail: string, isNeeded: boolean])[],
): RailsSection[ToolStage] {
  const { flows } = rails[stage];
  const added = needed.flatMap(([rail, isNeeded]) =>
    isNeeded && !flows.some((text) => parseFlowReference(text).id === rail) ? [rail] : [],
  );
  return { ...rails[stage], flows: [...flows, ...added], implied: added };
}

function toRules(settings: ToolSettings): ToolRules {
  const tools = Object.entries(settings.per_tool).map(([name, rule]) => [name, toRule(rule)] as const);
  return { ...toRule(settings), allowed: settings.allowed ?? undefined, tools: Object.fromEntries(tools) };
}

function toRule(rule: ToolRuleSettings): ToolRule {
  return {
    arguments: rule.arguments ?? undefined,
    result: rule.result ?? undefined,
    forbiddenInArguments: rule.forbidden_in_arguments,
    forbiddenInResults: rule.forbidden_in_results,
  };
}
