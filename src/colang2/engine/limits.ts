import { WORK_PER_EVENT } from "../../engine/limits.js";

/** Bounds on one event and on one conversation. */
export interface Engine2Limits {
  /** Instructions of one uninterrupted slide of a head. */
  readonly stepsPerAdvance: number;
  /** Steps that everything caused by one external event may cost: expressions, instructions, events, comparisons. */
  readonly workPerEvent: number;
  /** Internal events caused by one external event. */
  readonly internalEventsPerRound: number;
  /** Restarts of one activation within one round. */
  readonly restartsPerRound: number;
  /** Flow instances alive at the same time. */
  readonly instances: number;
  /** How deep flows may start flows. */
  readonly flowDepth: number;
  /** Heads of one flow instance. */
  readonly headsPerInstance: number;
  /** Log events kept for prompts. */
  readonly history: number;
  /** Actions kept that no flow owns: started by the world, or stopped and not yet finished. */
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

/** Costs in steps (see `WorkMeter`). They follow measured times. */
export const ENGINE_WORK = {
  /** One instruction of a flow. */
  instruction: 4,
  /** One internal event, apart from the heads it concerns. */
  event: 60,
  /** One head that is compared with an event. */
  candidate: 8,
  /** One head that competes with others. */
  competitor: 8,
  /** One item that is copied or compared. */
  item: 1,
  /** One instance that is described or looked at. */
  instance: 8,
} as const;
