import { WORK_PER_EVENT } from "../../engine/limits.js";

/** Limits of one event and of one conversation. */
export interface Engine2Limits {
  /** Instructions in one uninterrupted slide of a head. */
  readonly stepsPerAdvance: number;
  /** Steps for everything caused by one external event: expressions, instructions, events, comparisons. */
  readonly workPerEvent: number;
  /** Internal events caused by one external event. */
  readonly internalEventsPerRound: number;
  /** Restarts of one activation within one round. */
  readonly restartsPerRound: number;
  /** Flow instances alive at the same time. */
  readonly instances: number;
  /** Nesting depth of started flows. */
  readonly flowDepth: number;
  /** Heads of one flow instance. */
  readonly headsPerInstance: number;
  /** Number of log events kept for prompts. */
  readonly history: number;
  /** Number of actions kept without an owning flow: started externally, or stopped and not yet finished. */
  readonly foreignActions: number;
}

export const DEFAULT_ENGINE2_LIMITS: Engine2Limits = {
  stepsPerAdvance: 10_000,
  workPerEvent: WORK_PER_EVENT,
  internalEventsPerRound: 5000,
  restartsPerRound: 50,
  instances: 10_000,
  flowDepth: 500,
  headsPerInstance: 1000,
  history: 80,
  foreignActions: 100,
};

/** Costs in steps (see `WorkMeter`), based on measured times. */
export const ENGINE_WORK = {
  /** One instruction of a flow. */
  instruction: 4,
  /** One internal event, excluding the heads it concerns. */
  event: 60,
  /** One head compared with an event. */
  candidate: 8,
  /** One head that competes with others. */
  competitor: 8,
  /** One item that is copied or compared. */
  item: 1,
  /** One instance described or examined. */
  instance: 8,
} as const;
