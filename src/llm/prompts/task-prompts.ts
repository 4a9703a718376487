import type { PromptMessage, TaskPrompt } from "../../config/settings.js";
import { DiagnosticError, ModelError } from "../../diagnostics/errors.js";
import { LRUCache } from "lru-cache";
import type { ExpressionDialect } from "../../expressions/dialect.js";
import { canonicalTask, selectPrompt, type CatalogPrompt, type PromptTarget } from "./select-prompt.js";
import { compileTemplate, templateDiagnostics, type Template } from "../templates/template.js";

/** A prompt with its templates compiled. */
export interface PreparedPrompt {
  readonly prompt: TaskPrompt;
  readonly content: Template | undefined;
  readonly messages: readonly PreparedMessage[];
  readonly usesHistory: boolean;
  /** True for a prompt of the configuration. */
  readonly isConfigured: boolean;
}

type PreparedMessage =
  | { readonly kind: "message"; readonly type: PromptMessage["type"]; readonly template: Template }
  | { readonly kind: "list"; readonly template: Template };

export interface PromptSource {
  readonly catalog: readonly CatalogPrompt[];
  readonly configured: readonly TaskPrompt[];
  readonly mode: string;
  readonly dialect: ExpressionDialect;
}

export interface PromptStore {
  has(task: string): boolean;
  /** Returns the prompt for a task and a model. @throws ModelError PR-105 if there is none */
  get(task: string, model: PromptTarget): PreparedPrompt;
}

const MAX_PREPARED = 500;

/** Selects and compiles every prompt once per task and model. */
export function createPromptStore(source: PromptSource): PromptStore {
  const tasks = new Set([...source.catalog, ...source.configured].map((prompt) => canonicalTask(prompt.task)));
  const prepared = new LRUCache<string, PreparedPrompt>({ max: MAX_PREPARED });
  return {
    has: (task) => tasks.has(canonicalTask(task)),
    get: (task, model) => {
      const key = `${model.family}\n${model.engine}\n${model.name}\n${task}`;
      const known = prepared.get(key);
      if (known) return known;
      const prompt = selectPrompt(source.catalog, source.configured, { task, model, mode: source.mode });
      if (!prompt) {
        const message = `no prompt for task \`${task}\` and model \`${model.engine}/${model.name}\``;
        throw new ModelError(message, { code: "PR-105", task });
      }
      const made = preparePrompt(prompt, source.dialect, source.configured.includes(prompt));
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
