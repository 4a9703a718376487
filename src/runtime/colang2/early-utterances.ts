import type { GuardrailsEvent } from "../../engine/events.js";
import { summarizeDecisions } from "../../turn/decision.js";
import type { OwnRails } from "./rails/own-rails.js";
import { type Colang2Run, utterancesOf, type Colang2Services } from "./run.js";

/**
 * Tells the reader of a stream what flows say as soon as it is said: output rails have passed a text before it is.
 *
 * INVARIANT: what may be a refusal waits for the end of the turn, where the caller decides what becomes of a block. So does
 * what may be the whole of a wrapped model's answer, which has more to it than its text.
 */
export class EarlyUtterances {
  readonly #services: Colang2Services;
  readonly #run: Colang2Run;
  readonly #own: OwnRails;
  #waiting: string[] = [];
  #hasSaid = false;
  #isTakenBack = false;

  private constructor(services: Colang2Services, run: Colang2Run, own: OwnRails) {
    this.#services = services;
    this.#run = run;
    this.#own = own;
  }

  /** Undefined if the call is not read as a stream, the answer leaves as a whole, or no flow speaks. */
  static open(services: Colang2Services, run: Colang2Run, own: OwnRails): EarlyUtterances | undefined {
    const { emitText, stream } = run.turn.options;
    if (emitText === undefined || stream === undefined || stream.mode === "buffer" || !services.hasDialog)
      return undefined;
    return new EarlyUtterances(services, run, own);
  }

  note(event: GuardrailsEvent): void {
    // An exception event takes the place of all that was said.
    this.#isTakenBack ||= event.type.endsWith("Exception");
    this.#waiting.push(...utterancesOf([event]));
  }

  async writeText(): Promise<void> {
    const { turn } = this.#run;
    if (this.#waiting.length === 0 || this.#isTakenBack || this.#own.isPending || this.#mayBeAnswer()) return;
    if (summarizeDecisions(turn.decisions, this.#services.onError !== "allow").blocked) return;
    const texts = this.#waiting;
    this.#waiting = [];
    this.#hasSaid = true;
    for (const text of texts) await turn.options.emitText?.(text);
  }

  #mayBeAnswer(): boolean {
    const { turn } = this.#run;
    if (this.#hasSaid || turn.generated === undefined) return false;
    return turn.rewritesTo(turn.generated.text).startsWith(this.#waiting.join("\n"));
  }
}
