import type { LanguageModel, ModelCompletion, ModelPrompt } from "../../../src/llm/model.js";

/** A model of the package's own port that responds in order, records its prompts, and refuses unexpected calls. */
export class ScriptedLanguageModel implements LanguageModel {
  readonly engine = "scripted";
  readonly name = "scripted";
  readonly family = "chat";
  readonly native = { scripted: true };
  readonly calls: { readonly prompt: ModelPrompt; readonly text: string }[] = [];
  #answers: (string | Error)[];

  /** @param usage - what every call reports to have cost */
  constructor(
    answers: readonly (string | Error)[],
    readonly usage?: ModelCompletion["usage"],
  ) {
    this.#answers = [...answers];
  }

  get left(): number {
    return this.#answers.length;
  }

  /** Replaces the remaining responses, so that one runtime serves many cases. */
  script(...answers: readonly (string | Error)[]): void {
    this.#answers = [...answers];
  }

  async generate(prompt: ModelPrompt): Promise<ModelCompletion> {
    const text = promptText(prompt);
    const answer = this.#answers.shift();
    if (answer === undefined) throw new Error(`a model call that the script does not expect:\n${text}`);
    this.calls.push({ prompt, text });
    if (answer instanceof Error) throw answer;
    return { text: answer, modelName: this.name, ...(this.usage === undefined ? {} : { usage: this.usage }) };
  }
}

export function promptText(prompt: ModelPrompt): string {
  if (prompt.kind === "text") return prompt.text;
  return prompt.messages.map((message) => String(message.content)).join("\n");
}
