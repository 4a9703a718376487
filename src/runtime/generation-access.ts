import type { GenerationCall } from "../generation/services.js";
import type { Lookup } from "../generation/indexes.js";
import type { CallAccess, Generator, WriteText } from "../turn/response.js";
import type { ActionCall, ActionRun } from "./action-context.js";
import { guardedGenerator, openWriter, type RespondingRun } from "./response-stream.js";

/** Parts of the call of an action that its dependencies are made from. */
export type GeneratingAction = Pick<ActionCall, "unlimited" | "span">;

/**
 * Dependencies of one call of an action that generates text, for both dialects. Most actions ask for none of them, so each
 * is made when it is read. A class, because literals with accessors are slow and retain their closure for long.
 */
export abstract class GenerationAccess implements GenerationCall {
  readonly llmParams: GenerationCall["llmParams"];
  readonly atEnd: NonNullable<GenerationCall["atEnd"]>;
  readonly #run: ActionRun;
  readonly #action: GeneratingAction;
  // INVARIANT: an action stays on the side of the verdict where it started, speculative or committed.
  readonly #speculation: CallAccess | undefined;
  #asked: { readonly generator: Generator | undefined } | undefined;
  #writer: { readonly writeText: WriteText | undefined } | undefined;

  constructor(run: ActionRun, action: GeneratingAction) {
    const { turn } = run;
    this.#run = run;
    this.#action = action;
    this.#speculation = run.scope === "rail" ? undefined : turn.speculation;
    this.llmParams = turn.options.llmParams;
    // Assigned to a named constant, as in `RunActionContext`.
    const atEnd = (end: () => void): void => turn.atEnd(end);
    this.atEnd = atEnd;
  }

  /** Returns the run as the reviewer of a streamed response needs it. */
  protected abstract responding(): RespondingRun;

  get generator(): Generator | undefined {
    this.#asked ??= { generator: guardedGenerator(this.responding()) };
    return this.#asked.generator;
  }

  get lookup(): Lookup | undefined {
    const speculation = this.#speculation;
    if (speculation === undefined) return undefined;
    return (key, search) => speculation.lookup(key, this.#run.cancellation.signal, search);
  }

  get writeText(): WriteText | undefined {
    this.#writer ??= { writeText: openWriter(this.responding(), this.#action.unlimited) };
    return this.#writer.writeText;
  }
}
