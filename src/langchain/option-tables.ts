// Option checks that several surfaces share.
import { checkOptions, unknownOption } from "../diagnostics/options.js";
import { ConfigError } from "../diagnostics/errors.js";
import { suggest } from "../diagnostics/suggestion.js";
import { RAIL_SELECTION } from "../turn/options.js";
import { createDiagnostic } from "../diagnostics/diagnostic.js";

const CALL_OPTIONS = { rails: RAIL_SELECTION } as const;
const CHECK_OPTIONS = { ...CALL_OPTIONS, stage: { oneOf: ["input", "output"] } } as const;

/** Keys that LangChain and LangGraph put on a config. */
const CONFIG_KEYS: ReadonlySet<string> = new Set([
  "callbacks",
  "tags",
  "metadata",
  "runName",
  "runId",
  "configurable",
  "recursionLimit",
  "maxConcurrency",
  "timeout",
  "signal",
  "store",
  "writer",
  "context",
  "interrupt",
  "toolCall",
  "toolCallId",
  "state",
  "rails",
  "stage",
]);

/** Options of other functions, which a call would ignore. */
const OPTIONS_OF_OTHERS: ReadonlySet<string> = new Set([
  "onBlocked",
  "onError",
  "onDecision",
  "timeoutMs",
  "parallel",
  "logger",
  "streaming",
  "inputKey",
  "outputKey",
  "contextKey",
  "verdictKey",
  "keepContext",
  "trustedKeys",
  "toolRules",
  "unseen",
  "log",
  "llmParams",
  "llmOutput",
  "outputVars",
]);

/**
 * Refuses misspelt options of a call, and options that belong elsewhere. Other keys pass: LangGraph adds its own to a config.
 *
 * @throws ConfigError `CF-103` with all problems at once
 */
export function checkCallOptions(surface: "a call" | "guardrails.check", given: object): void {
  const table = surface === "a call" ? CALL_OPTIONS : CHECK_OPTIONS;
  const problems = Object.keys(given)
    .filter((name) => !CONFIG_KEYS.has(name))
    .filter((name) => OPTIONS_OF_OTHERS.has(name) || suggest(name, Object.keys(table)) !== undefined)
    .map((name) => unknownOption(surface, name, table));
  if (problems.length > 0) throw new ConfigError(problems);
  const { rails, stage } = given as { rails?: unknown; stage?: unknown };
  if (rails === undefined && stage === undefined) return;
  checkOptions(surface, surface === "a call" ? { rails } : { rails, stage }, table);
}

interface NamedKeys {
  readonly inputKey?: string | undefined;
  readonly contextKey?: string | undefined;
  readonly trustedKeys?: readonly string[] | undefined;
}

/**
 * Refuses trusted keys that have a meaning of their own: rails would not read the user's text.
 *
 * @throws ConfigError `CF-104`
 */
export function checkTrustedKeys(surface: string, options: NamedKeys = {}): void {
  const { trustedKeys = [] } = options;
  const problems = (["inputKey", "contextKey"] as const).flatMap((option) => {
    const key = options[option];
    if (key === undefined || !trustedKeys.includes(key)) return [];
    const message = `expected other keys in the option \`trustedKeys\` of \`${surface}\`, got \`${key}\`, the \`${option}\``;
    const hint = "name only keys that the application fills itself, such as `format_instructions`";
    return [createDiagnostic("CF-104", message, { path: "options.trustedKeys", hint })];
  });
  if (problems.length > 0) throw new ConfigError(problems);
}
