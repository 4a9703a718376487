import { LimitError } from "../diagnostics/errors.js";

/** Limits of one conversation turn. Exceeding one is a `LimitError` that names it. */
export interface EngineLimits {
  /** New events in one turn. */
  readonly eventsPerTurn: number;
  readonly llmCallsPerTurn: number;
  /** Sliding steps (assignments, jumps, conditions) while one event is processed. */
  readonly slideSteps: number;
  /** Nesting of `do`. */
  readonly callDepth: number;
  /** Maximum costs of a turn's rails together; absent if unlimited. */
  readonly railBudget?: RailBudget | undefined;
}

/** Costs of the rails of one turn, or the most that they may be. */
export interface RailBudget {
  /** Model calls. */
  readonly calls: number;
  /** Tokens of prompts and completions, as providers report them. */
  readonly tokens: number;
  /** Times of all rails added up. */
  readonly milliseconds: number;
}

const NONE: Readonly<Record<string, unknown>> = {};

/** Counts that limits bound. */
export interface TurnCounts {
  readonly events: number;
  readonly modelCalls: number;
}

/** Totals that all parts of one call share. */
export interface CallTotals {
  events: number;
  modelCalls: number;
  /** Context variables of the call, as far as they have been put together. */
  variables: Readonly<Record<string, unknown>>;
  /** Costs of rails so far, where they are bounded. Copies of a turn add to the same. */
  readonly spending: { -readonly [Key in keyof RailBudget]: number } | undefined;
  /** Variables that stages have left since; most calls have one stage, which needs none. */
  readonly assigned: Readonly<Record<string, unknown>>[];
}

export function newTotals({ railBudget }: EngineLimits): CallTotals {
  const spending = railBudget === undefined ? undefined : { calls: 0, tokens: 0, milliseconds: 0 };
  return { events: 0, modelCalls: 0, variables: NONE, spending, assigned: [] };
}

/** Error of a rail that needs more than `rails.budget` leaves it. */
export function exhausted(part: keyof RailBudget, budget: RailBudget): LimitError {
  const unit = part === "calls" ? "model calls" : part;
  return new LimitError(
    `the budget of rails is exhausted: ${budget[part]} ${unit} in a turn (\`rails.budget.${part}\`)`,
    {
      limit: `rails.budget.${part}`,
      maximum: budget[part],
    },
  );
}

export const DEFAULT_LIMITS: EngineLimits = {
  eventsPerTurn: 1000,
  llmCallsPerTurn: 50,
  slideSteps: 10_000,
  callDepth: 64,
};

/** Bounds on one value that enters an engine: an event, a `context`, the result of an action. */
export interface DataLimits {
  /** Nesting of lists and maps. */
  readonly dataDepth: number;
  /** Objects, lists and scalars together. */
  readonly dataValues: number;
  /** Characters of all texts and keys together. */
  readonly dataCharacters: number;
}

export const DATA_LIMITS: DataLimits = { dataDepth: 64, dataValues: 100_000, dataCharacters: 16_777_216 };

/** Half of a value: the engine of Colang 2.x copies results into events whole. */
export const RESULT_LIMITS: DataLimits = { dataDepth: 60, dataValues: 50_000, dataCharacters: 8_388_608 };

/** Size of a value, as counted for limits. */
export interface DataSize {
  /** Objects, lists and scalars together. */
  readonly values: number;
  /** Characters of all texts and keys together. */
  readonly characters: number;
}

/** Size of the variables that one stored state holds, in characters, earlier turns to go back to included. A value counts as eight more. */
export const STATE_SIZE = 33_554_432;
const VALUE_SIZE = 8;

/** Sum of the data of one state. */
export class StateSize {
  #size = 0;

  /** @throws LimitError naming `stateSize` if the state is too large to be stored */
  add({ values, characters }: DataSize): void {
    if ((this.#size += characters + values * VALUE_SIZE) <= STATE_SIZE) return;
    const message = `the conversation keeps more than ${STATE_SIZE} characters of data (limit \`stateSize\`): keep large values in an action or a store, or set variables that are no longer needed to None`;
    throw new LimitError(message, { limit: "stateSize", maximum: STATE_SIZE });
  }
}

/** Bounds on the state of a conversation that a caller or a thread store passes. */
export const STATE_LIMITS: DataLimits = { dataDepth: 200, dataValues: 2_000_000, dataCharacters: 134_217_728 };

/**
 * Steps that one event may cost an engine. A step is a part of an expression, about 80 ns; everything else is counted in
 * proportion (`bench/worst-event.mjs`).
 */
export const WORK_PER_EVENT = 1_000_000;

/** Counts the work that one event causes, whatever it is spent on. */
export class WorkMeter {
  readonly #allowed: number;
  readonly #code: string | undefined;
  /** Steps that the event may cost. */
  maximum: number;
  /** Steps so far. Instruction loops increment it directly, since a call would cost as much as an instruction. */
  spent = 0;

  constructor(allowed = WORK_PER_EVENT, code?: string) {
    this.#allowed = allowed;
    this.#code = code;
    this.maximum = allowed;
  }

  get isSpent(): boolean {
    return this.spent > this.maximum;
  }

  /** Counts steps; callers check `isSpent` where they can stop. */
  add(steps: number): void {
    this.spent += steps;
  }

  /** @throws LimitError naming `workPerEvent` if an event has spent too much */
  spend(steps: number): void {
    this.spent += steps;
    if (this.spent > this.maximum) throw this.error();
  }

  /** Begins the next event. */
  reset(): void {
    this.spent = 0;
    this.maximum = this.#allowed;
  }

  /** Allows as many further steps, for those who react to the exceeded limit. */
  extend(steps: number): void {
    this.maximum = this.spent + steps;
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
