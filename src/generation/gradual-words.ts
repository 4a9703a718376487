import { type GradualText, inSequence, readWhole } from "../llm/parsers/gradual/gradual-text.js";
import type { RunningCall } from "../llm/task/running-call.js";
import { promptText } from "../llm/prompts/prompt-text.js";
import type { TaskRequest } from "../llm/task/task.js";
import type { CallServices } from "./services.js";
import type { WriteText } from "../turn/response.js";

/**
 * The bot's text in a completion that is still being received, piece by piece. INVARIANT: joined, the pieces equal the
 * reader's result on the whole completion. Closing the iterator ends the call, even while it stalls.
 */
export class GradualWords implements AsyncIterableIterator<string> {
  readonly #call: RunningCall;
  readonly #reader: GradualText;
  #skipped: number;
  #index = 0;
  #isDone = false;

  /**
   * @param call - a call made `byPieces`
   * @param from - offset in the completion where the text begins
   */
  constructor(call: RunningCall, reader: GradualText, from = 0) {
    this.#call = call;
    this.#reader = reader;
    this.#skipped = from;
  }

  [Symbol.asyncIterator](): this {
    return this;
  }

  async next(): Promise<IteratorResult<string>> {
    while (!this.#isDone) {
      const piece = await this.#call.piece(this.#index);
      this.#index += 1;
      const value = piece === undefined ? this.#reader.end() : this.#reader.push(this.#behindSkipped(piece));
      if (piece === undefined) this.#isDone = true;
      else if (this.#reader.isOver) {
        this.#isDone = true;
        this.#call.awaitEnd();
      }
      if (value !== "") return { done: false, value };
    }
    return { done: true, value: undefined };
  }

  async return(): Promise<IteratorResult<string>> {
    this.#isDone = true;
    this.#call.cancelRest();
    return { done: true, value: undefined };
  }

  #behindSkipped(piece: string): string {
    if (this.#skipped === 0) return piece;
    const skipped = Math.min(this.#skipped, piece.length);
    this.#skipped -= skipped;
    return piece.slice(skipped);
  }
}

/**
 * Generates the text of a task. If the turn streams, the text is released while the model writes it, with the same
 * final result.
 *
 * @param reader - reads the parsed completion
 * @param updates - variables that change with the text
 * @throws ModelError if the call fails
 */
export async function askForWords(
  request: TaskRequest,
  { tasks, call }: Pick<CallServices, "tasks" | "call">,
  reader: () => GradualText,
  updates: Readonly<Record<string, unknown>> = {},
): Promise<{ readonly text: string; readonly promptText: string }> {
  const { writeText } = call;
  if (writeText === undefined) {
    const { text, prompt } = await tasks.run(request);
    return { text: readWhole(reader(), text), promptText: promptText(prompt) };
  }
  const running = await tasks.start(request, { streaming: true, byPieces: true, endless: true });
  const prompt = promptText(running.prompt);
  const { completion } = running.gradual;
  call.atEnd?.(() => running.call.cancelRest());
  if (completion === undefined) {
    const whole = (await running.call.read((text, isWhole) => (isWhole ? text : undefined))) ?? "";
    return { text: readWhole(reader(), running.parse(whole)), promptText: prompt };
  }
  const words = new GradualWords(running.call, inSequence([completion(), reader()]));
  return { text: await writeWords(words, writeText, { ...updates, _last_bot_prompt: prompt }), promptText: prompt };
}

/** Emits text once it is not blank: a blank response counts as none, so that another text may follow. */
export async function writeWords(
  words: GradualWords,
  writeText: WriteText,
  updates: Readonly<Record<string, unknown>>,
): Promise<string> {
  let begun = "";
  while (begun.trim() === "") {
    const next = await words.next();
    if (next.done === true) return begun;
    begun += next.value;
  }
  return writeText(begunWith(begun, words), updates);
}

function begunWith(first: string, rest: GradualWords): AsyncIterableIterator<string> {
  let isGiven = false;
  return {
    [Symbol.asyncIterator]() {
      return this;
    },
    next: async () => {
      if (isGiven) return rest.next();
      isGiven = true;
      return { done: false, value: first };
    },
    return: () => rest.return(),
  };
}
