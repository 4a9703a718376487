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
