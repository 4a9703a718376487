import { ModelError } from "../diagnostics/errors.js";
import type { LanguageModel } from "../llm/model.js";

/**
 * The model, or an error that says how to get one.
 *
 * @throws ModelError
 */
export function requireModel(model: LanguageModel | undefined, task: string): LanguageModel {
  if (model) return model;
  throw new ModelError(
    `no main model for the task \`${task}\`: add an entry with \`type: main\` to \`models\`, or pass \`llm\` when creating the guardrails`,
    { code: "CF-119", task },
  );
}
