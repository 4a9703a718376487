import { LimitError } from "../diagnostics/errors.js";

/** Bounds on what one conversation turn may do. Exceeding one is a `LimitError` that names it. */
export interface EngineLimits {
  /** New events in one turn. */
  readonly eventsPerTurn: number;
  readonly llmCallsPerTurn: number;
  /** Sliding steps (assignments, jumps, conditions) while one event is processed. */
  readonly slideSteps: number;
  /** Nesting of `do`. */
  readonly callDepth: number;
}

export const DEFAULT_LIMITS: EngineLimits = {
  eventsPerTurn: 1000,
  llmCallsPerTurn: 50,
  slideSteps: 10_000,
  callDepth: 64,
};

/**
 * Steps that one event may cost an engine. A step is a part of an expression, about 80 ns; everything else is counted in
 * proportion (`bench/cases/worst-event.mjs`).
 */
export const WORK_PER_EVENT = 1_000_000;

/** Counts the work that one event causes, whatever it is spent on. */
export class WorkMeter {
  readonly #allowed: number;
  readonly #code: string | undefined;
  #maximum: number;
  #spent = 0;

  constructor(allowed = WORK_PER_EVENT, code?: string) {
    this.#allowed = allowed;
    this.#code = code;
    this.#maximum = allowed;
  }

  get isSpent(): boolean {
    return this.#spent > this.#maximum;
  }

  /** Counts steps; the caller asks `isSpent` when it may stop. */
  add(steps: number): void {
    this.#spent += steps;
  }

  /** @throws LimitError naming `workPerEvent` when more is spent than an event may cost */
  spend(steps: number): void {
    this.#spent += steps;
    if (this.isSpent) throw this.error();
  }

  /** Begins the next event. */
  reset(): void {
    this.#spent = 0;
    this.#maximum = this.#allowed;
  }

  /** Allows as many further steps, for those who react to the exceeded limit. */
  extend(steps: number): void {
    this.#maximum = this.#spent + steps;
  }

  error(): LimitError {
    const maximum = this.#allowed;
    const message = `one event costs more than ${maximum} steps (limit \`workPerEvent\`): do the work in an action, or wait in between`;
    return new LimitError(message, {
      limit: "workPerEvent",
      maximum,
      ...(this.#code === undefined ? {} : { code: this.#code }),
    });
  }
}
