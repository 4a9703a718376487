import type { TaskPrompt } from "../../config/settings.js";
import { type Diagnostic, report } from "../../diagnostics/diagnostic.js";
import type { Span } from "../../diagnostics/source-file.js";
import { didYouMean } from "../../diagnostics/suggestion.js";
import type { ExpressionDialect } from "../../expressions/dialect.js";
import { createPromptDialect } from "../templates/filters/prompt.js";
import { OUTPUT_PARSERS } from "../parsers/registry.js";
import { canonicalTask, templateTexts } from "./task-names.js";
import { findVariable } from "../templates/compile-template.js";
import type { TemplateProblem } from "../templates/template-parse.js";
import { loadTemplateSyntax } from "../templates/template-syntax.js";
import { compileTemplate, templateDiagnostics, type TemplateCompilation } from "../templates/template.js";
import { CONTEXT_VARIABLES } from "../../engine/context-variables.js";

interface PromptCheckOptions {
  /** Names of filters and parsers registered by the configuration's code. */
  readonly filters?: Iterable<string> | undefined;
  readonly parsers?: Iterable<string> | undefined;
  /** Variables registered for every prompt. */
  readonly promptContext?: Iterable<string> | undefined;
  /**
   * Context variables set by flows and callers. If given, any other variable of a known task is an error; otherwise
   * only a name that looks misspelt.
   */
  readonly contextVariables?: Iterable<string> | undefined;
  /** Returns the location of the prompt with this index. */
  readonly spanOf?: ((index: number) => Span | undefined) | undefined;
}

/**
 * Checks the prompts of a configuration at load: template syntax (PR-101), variables (PR-102), filters (PR-103) and
 * output parsers (PR-106), all problems at once.
 *
 * @example
 * ```ts
 * const diagnostics = await checkPrompts(settings.prompts, { spanOf: (index) => config.spanOf(["prompts", index]) });
 * ```
 */
export async function checkPrompts(
  prompts: readonly TaskPrompt[],
  options: PromptCheckOptions = {},
): Promise<readonly Diagnostic[]> {
  if (prompts.length === 0) return [];
  await loadTemplateSyntax();
  const registered = Array.from(options.filters ?? [], (name) => [name, (value: unknown) => value] as const);
  const dialect = createPromptDialect(() => "", Object.fromEntries(registered));
  const parsers = new Set([...Object.keys(OUTPUT_PARSERS), ...(options.parsers ?? [])]);
  const known = [...parsers].map((name) => `\`${name}\``).join(", ");
  const isStrict = options.contextVariables !== undefined;
  const everywhere = [
    ...EVERYWHERE,
    ...CONTEXT_VARIABLES.map(({ name }) => name),
    ...(options.promptContext ?? []),
    ...(options.contextVariables ?? []),
  ];
  const findUnknown = (task: string, { variables, tokens }: TemplateCompilation): readonly TemplateProblem[] => {
    const taskVariables = OWN.get(baseTask(task));
    if (!taskVariables) return [];
    const names = new Set([...taskVariables, ...everywhere]);
    return variables.flatMap((name): TemplateProblem[] => {
      const hint = names.has(name) ? undefined : didYouMean(name, names);
      if (names.has(name) || (!isStrict && hint === undefined)) return [];
      const { start, end } = findVariable(tokens, name) ?? { start: 0, end: 1 };
      return [{ code: "PR-102", message: `unknown variable \`${name}\``, start, end, ...(hint ? { hint } : {}) }];
    });
  };
  return prompts.flatMap((prompt, index) => {
    const span = options.spanOf?.(index);
    const diagnostics = checkTemplates(prompt, dialect, findUnknown, span);
    const name = prompt.output_parser;
    if (name !== null && !parsers.has(name)) {
      const hint = didYouMean(name, parsers) ?? `known are ${known}`;
      report(diagnostics, "PR-106", `unknown output parser \`${name}\``, { span, hint, path: placeOf(prompt) });
    }
    return diagnostics;
  });
}

function checkTemplates(
  prompt: TaskPrompt,
  dialect: ExpressionDialect,
  findUnknown: (task: string, compiled: TemplateCompilation) => readonly TemplateProblem[],
  span: Span | undefined,
): Diagnostic[] {
  const origin = { name: placeOf(prompt), span };
  const task = canonicalTask(prompt.task);
  const diagnostics: Diagnostic[] = [];
  const read = new Set<string>();
  let isReadable = true;
  for (const text of templateTexts(prompt)) {
    const compiled = compileTemplate(text, dialect);
    isReadable &&= compiled.template !== undefined;
    for (const name of compiled.variables) read.add(name);
    const problems = [...compiled.problems, ...findUnknown(task, compiled)];
    diagnostics.push(...templateDiagnostics(problems, text, origin));
  }
  const subjects = SUBJECTS.get(baseTask(task));
  if (isReadable && subjects && !subjects.some((name) => read.has(name))) {
    const message = `expected the prompt of \`${prompt.task}\` to read the text it checks`;
    report(diagnostics, "PR-102", message, { span, hint: `use \`{{ ${subjects[0]} }}\``, path: origin.name });
  }
  return diagnostics;
}

/** Name of a task without its arguments: `content_safety_check_input $model=guard`. */
function baseTask(task: string): string {
  return task.split(" $", 1)[0] ?? task;
}

function placeOf(prompt: TaskPrompt): string {
  return `prompt ${prompt.task}`;
}

/** Names every prompt may read. */
const EVERYWHERE = ["history", "general_instructions", "sample_conversation", "sample_conversation_two_turns"] as const;

/** Variables that the caller of a task passes. */
const OWN: ReadonlyMap<string, readonly string[]> = new Map([
  ["general", []],
  ["generate_user_intent", ["examples", "potential_user_intents"]],
  ["generate_next_steps", ["examples"]],
  ["generate_bot_message", ["examples"]],
  ["generate_intent_steps_message", ["examples", "potential_user_intents"]],
  ["generate_steps_message", ["examples", "user_intent"]],
  ["generate_value", ["examples", "instructions", "var_name"]],
  ["generate_user_intent_from_user_action", ["examples", "potential_user_intents", "user_action", "context"]],
  [
    "generate_user_intent_and_bot_action_from_user_action",
    ["examples", "potential_user_intents", "user_action", "context"],
  ],
  ["generate_value_from_instruction", ["examples", "instructions", "var_name", "context"]],
  ["generate_flow_from_instructions", ["examples", "flow_name", "instructions", "context"]],
  ["generate_flow_from_name", ["examples", "flow_name", "context"]],
  ["generate_flow_continuation", ["examples", "context"]],
  ["generate_flow_continuation_from_flow_nld", ["flow_nld", "tools", "tool_names", "known", "context"]],
  ["self_check_input", ["user_input", "policies"]],
  ["self_check_output", ["user_input", "bot_response", "policies"]],
  ["self_check_facts", ["evidence", "response"]],
  ["self_check_hallucination", ["statement", "paragraph"]],
  ["content_safety_check_input", ["user_input", "bot_response", "image_count"]],
  ["content_safety_check_output", ["user_input", "bot_response"]],
  ["llama_guard_check_input", ["user_input", "bot_response", "image_count"]],
  ["llama_guard_check_output", ["user_input", "bot_response"]],
  ["llm_judge_check_single_policy_compliance", ["policies", "user_input", "bot_response", "image_count"]],
  ["topic_safety_check", ["guidelines", "conversation"]],
  ["patronus_lynx_check_output_hallucination", ["user_input", "bot_response", "provided_context"]],
]);

/** Subjects of checks; a prompt that reads none of them would pass everything or nothing. */
const USER = ["user_input", "user_message", "last_user_message", "history"];
const BOT = ["bot_response", "bot_message", "last_bot_message", "history"];
const SUBJECTS: ReadonlyMap<string, readonly string[]> = new Map([
  ["self_check_input", USER],
  ["self_check_output", BOT],
  ["content_safety_check_input", USER],
  ["content_safety_check_output", BOT],
  ["llama_guard_check_input", USER],
  ["llama_guard_check_output", BOT],
  ["topic_safety_check", ["conversation", "history"]],
  ["patronus_lynx_check_output_hallucination", BOT],
  ["self_check_facts", ["response", "bot_message", "last_bot_message", "history"]],
  ["self_check_hallucination", ["statement", "bot_message", "last_bot_message", "history"]],
]);
