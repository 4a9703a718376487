import type {
  LanguageModel,
  ModelCallScope,
  ModelCompletion,
  ModelParameters,
  ModelPiece,
  ModelPrompt,
} from "../../../src/llm/model.js";
import { promptText } from "./scripted-language-model.js";

/** Emits a part of a completion when the test allows it. */
export type Hold = (what: string) => Promise<unknown>;

/** A model whose response depends only on its prompt, and whose parts the test releases. */
export class HeldLanguageModel implements LanguageModel {
  readonly engine = "held";
  readonly family = "chat";
  readonly native = {};
  readonly name: string;
  /** The prompts of all calls that began. */
  readonly begun: string[] = [];
  /** How many calls were aborted before they ended. */
  aborted = 0;
  readonly #answer: (prompt: string) => readonly string[] | Error;
  readonly #hold: Hold;

  constructor(name: string, answer: (prompt: string) => readonly string[] | Error, hold: Hold) {
    this.name = name;
    this.#answer = answer;
    this.#hold = hold;
  }

  async generate(prompt: ModelPrompt, _parameters: ModelParameters, scope: ModelCallScope): Promise<ModelCompletion> {
    let text = "";
    for await (const piece of this.pieces(prompt, scope)) text += piece.text;
    return { text, modelName: this.name };
  }

  protected async *pieces(prompt: ModelPrompt, { signal }: ModelCallScope): AsyncGenerator<ModelPiece> {
    const asked = promptText(prompt);
    this.begun.push(asked);
    let isOver = false;
    signal?.addEventListener("abort", () => void (isOver || (this.aborted += 1)), { once: true });
    try {
      const answer = this.#answer(asked);
      for (const piece of answer instanceof Error ? ["!"] : answer) {
        await this.#hold(`${this.name} ${piece}`);
        signal?.throwIfAborted();
        if (answer instanceof Error) throw answer;
        yield { text: piece, modelName: this.name };
      }
    } finally {
      isOver = true;
    }
  }
}

/** The same for a model that streams. */
export class StreamingHeldModel extends HeldLanguageModel {
  stream(prompt: ModelPrompt, _parameters: ModelParameters, scope: ModelCallScope): AsyncGenerator<ModelPiece> {
    return this.pieces(prompt, scope);
  }
}
