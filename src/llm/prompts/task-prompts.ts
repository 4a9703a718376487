import type { PromptMessage, TaskPrompt } from "../../config/settings.js";
import { DiagnosticError, ModelError } from "../../diagnostics/errors.js";
import { LRUCache } from "lru-cache";
import type { ExpressionDialect } from "../../expressions/dialect.js";
import { compileTemplate, templateDiagnostics, type Template } from "../templates/template.js";
import type { LanguageModel } from "../model.js";
import { canonicalTask } from "./task-names.js";

/** A prompt with its templates compiled. */
export interface PreparedPrompt {
  readonly prompt: TaskPrompt;
  readonly content: Template | undefined;
  readonly messages: readonly PreparedMessage[];
  /** The same prompt if no value of the request replaces a fixed one; absent without fixed values. */
  readonly fixed?: Pick<PreparedPrompt, "content" | "messages"> | undefined;
  readonly usesHistory: boolean;
  /** True for a prompt of the configuration. */
  readonly isConfigured: boolean;
}

type PreparedMessage =
  | { readonly kind: "message"; readonly type: PromptMessage["type"]; readonly template: Template }
  | { readonly kind: "list"; readonly template: Template };

interface PromptStore {
  has(task: string): boolean;
  /** Returns the prompt for a task and a model. @throws ModelError PR-105 if there is none */
  get(task: string, model: PromptTarget): PreparedPrompt;
}

const MAX_PREPARED = 500;

interface PromptStoreOptions {
  readonly catalog: readonly CatalogPrompt[];
  /** The configuration's prompts. */
  readonly configured: readonly TaskPrompt[];
  readonly mode: string;
  readonly dialect: ExpressionDialect;
  /** Variables with the same value in every request that does not set them. */
  readonly fixedValues?: Readonly<Record<string, unknown>> | undefined;
}

/** Selects and compiles every prompt once per task and model. */
export function createPromptStore(options: PromptStoreOptions): PromptStore {
  const { catalog, configured, mode, dialect, fixedValues } = options;
  const tasks = new Set([...catalog, ...configured].map((prompt) => canonicalTask(prompt.task)));
  const prepared = new LRUCache<string, PreparedPrompt>({ max: MAX_PREPARED });
  return {
    has: (task) => tasks.has(canonicalTask(task)),
    get: (task, model) => {
      const key = `${model.family}\n${model.engine}\n${model.name}\n${task}`;
      const known = prepared.get(key);
      if (known) return known;
      const prompt = selectPrompt(catalog, configured, { task, model, mode });
      if (!prompt) {
        const message = `no prompt for task \`${task}\` and model \`${model.engine}/${model.name}\``;
        throw new ModelError(message, { code: "PR-105", task });
      }
      const isConfigured = configured.includes(prompt);
      const compiled = preparePrompt(prompt, dialect, isConfigured);
      const made = fixedValues === undefined ? compiled : { ...compiled, fixed: fixPrompt(compiled, fixedValues) };
      prepared.set(key, made);
      return made;
    },
  };
}

function preparePrompt(prompt: TaskPrompt, dialect: ExpressionDialect, isConfigured: boolean): PreparedPrompt {
  const compile = (text: string): Template => {
    const { template, problems } = compileTemplate(text, dialect);
    if (!template) throw new DiagnosticError(templateDiagnostics(problems, text, { name: `prompt ${prompt.task}` }));
    return template;
  };
  const content = prompt.content === null ? undefined : compile(prompt.content);
  const messages = (prompt.messages ?? []).map((message): PreparedMessage => {
    if (typeof message === "string") return { kind: "list", template: compile(message) };
    return { kind: "message", type: message.type, template: compile(message.content) };
  });
  const templates = [...(content ? [content] : []), ...messages.map(({ template }) => template)];
  return {
    prompt,
    content,
    messages,
    isConfigured,
    usesHistory: templates.some(({ variables }) => variables.includes("history")),
  };
}

function fixPrompt(
  { content, messages }: PreparedPrompt,
  values: Readonly<Record<string, unknown>>,
): Pick<PreparedPrompt, "content" | "messages"> {
  return {
    content: content?.withValues(values),
    messages: messages.map((message) => ({ ...message, template: message.template.withValues(values) })),
  };
}

/** A built-in prompt; `family` is the kind of model it is written for. */
export interface CatalogPrompt extends TaskPrompt {
  readonly family: "chat" | "text" | "any";
}

/** Properties of a model that affect prompt selection. */
export type PromptTarget = Pick<LanguageModel, "engine" | "name" | "family">;

const STANDARD_MODE = "standard";

const UNKNOWN = "unknown";

/**
 * Selects the prompt for a task, a model and a mode: the best score wins; among equals the last, and prompts of the
 * configuration come after built-in ones. Unlike in NeMo Guardrails, prompts for other models do not count, and every
 * chat model, even an unknown one, gets the prompts for chat models.
 *
 * @returns undefined if no prompt matches
 */
export function selectPrompt(
  catalog: readonly CatalogPrompt[],
  configured: readonly TaskPrompt[],
  selection: { readonly task: string; readonly model: PromptTarget; readonly mode: string },
): TaskPrompt | undefined {
  const task = canonicalTask(selection.task);
  const { engine, name, family } = selection.model;
  const modelName = name === UNKNOWN || name === "" ? engine : `${engine}/${name}`;
  let best: TaskPrompt | undefined;
  let bestScore = 0;
  const consider = (prompt: TaskPrompt): void => {
    if (canonicalTask(prompt.task) !== task) return;
    const share = prompt.mode === selection.mode ? 1 : prompt.mode === STANDARD_MODE ? 0.5 : 0;
    const score = share * (prompt.models === null ? 0.2 : scoreModels(prompt.models, modelName));
    if (score > 0 && score >= bestScore) [best, bestScore] = [prompt, score];
  };
  for (const prompt of catalog) if (prompt.family === "any" || prompt.family === family) consider(prompt);
  for (const prompt of configured) consider(prompt);
  return best;
}

/** Scores a prompt for a model; 0 if it is for others. */
function scoreModels(names: readonly string[], modelName: string): number {
  let score = 0;
  for (const name of names) {
    if (name === "") continue;
    if (name === modelName) return 1;
    if (modelName.startsWith(`${name}/`)) return 0.5;
    if (modelName.endsWith(`/${name}`)) return 0.8;
    if (modelName.includes(name)) score = 0.4;
  }
  return score;
}
