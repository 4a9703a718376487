import { collect } from "../collect.js";
import type { EngineState } from "../state.js";
import { Encoder, type Stored } from "./encode.js";
import { writeLog } from "./stored-log.js";

export const STATE_FORMAT = "langchain-guardrails/colang-2.x" as const;
/** The version of the stored form. */
export const STATE_VERSION = 3 as const;

/** A conversation as plain JSON. Neither the program nor the configuration is part of it. */
export interface StoredState {
  readonly format: typeof STATE_FORMAT;
  readonly version: typeof STATE_VERSION;
  readonly programHash: string;
  readonly [part: string]: Stored;
}

/**
 * Writes a conversation between two events. The conversation can continue afterwards.
 *
 * @throws LimitError when its values exceed `stateSize`
 * @param texts - texts that are stored along with the state: log events refer to them by number instead of repeating them
 */
export function writeState(state: EngineState, texts: readonly (string | undefined)[] = []): StoredState {
  const { addedFlows, removedFlows, history, flows, ended, activations, actions, ...rest } = state.data;
  const encoder = new Encoder(collect(state));
  const records = (table: ReadonlyMap<unknown, object>) => [...table.values()].map((record) => encoder.record(record));
  const tables = {
    ...encoder.record(rest),
    flows: records(flows),
    ended: records(ended),
    activations: records(activations),
    actions: records(actions),
  };
  encoder.flush();
  const numbers = new Map<string, number>();
  for (const [number, text] of texts.entries()) if (text !== undefined) numbers.set(text, number);
  return {
    format: STATE_FORMAT,
    version: STATE_VERSION,
    programHash: state.programHash,
    ...tables,
    shared: encoder.shared,
    added: Object.fromEntries(addedFlows),
    removed: [...removedFlows],
    history: history.map((entry) => writeLog(entry, numbers)),
  };
}
