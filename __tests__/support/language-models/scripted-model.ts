import type { LanguageModel, ModelCompletion, ModelParameters, ModelPrompt } from "../../../src/llm/model.js";
import { promptText } from "../../../src/llm/prompts/prompt-text.js";

export interface ModelCall {
  readonly text: string;
  readonly prompt: ModelPrompt;
  readonly parameters: ModelParameters;
}

/** A model that responds with the next text of its list and refuses an unexpected call. */
export class ScriptedModel implements LanguageModel {
  readonly engine = "scripted";
  readonly name: string;
  readonly family: "chat" | "text";
  readonly native = undefined;
  readonly calls: ModelCall[] = [];
  readonly #answers: (string | Error)[];

  constructor(answers: readonly (string | Error)[], options: { name?: string; family?: "chat" | "text" } = {}) {
    this.#answers = [...answers];
    this.name = options.name ?? "scripted";
    this.family = options.family ?? "text";
  }

  get unsaid(): number {
    return this.#answers.length;
  }

  async generate(prompt: ModelPrompt, parameters: ModelParameters): Promise<ModelCompletion> {
    const text = promptText(prompt);
    const answer = this.#answers.shift();
    if (answer === undefined) throw new Error(`unexpected call:\n${text}`);
    this.calls.push({ text, prompt, parameters });
    if (answer instanceof Error) throw answer;
    return { text: answer, modelName: this.name };
  }
}
