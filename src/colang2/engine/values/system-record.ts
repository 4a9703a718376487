import { createMap, type Value } from "../../../expressions/values/value.js";
import { fromOutside } from "./copy-value.js";
import type { EngineState } from "../state/state.js";

/** What `$system` is: the configuration, and a view of the state for diagnosis (spec 3.3). */
export function systemRecord(state: EngineState): Value {
  const record = createMap();
  record["config"] = fromOutside(state.constants);
  record["state"] = stateRecord(state);
  return record;
}

function stateRecord(state: EngineState): Value {
  const record = createMap();
  const context = createMap();
  record["context"] = Object.assign(context, state.data.globals);
  record["flow_ids"] = [...new Set([...state.data.flows.values()].map(({ flow }) => flow))];
  return record;
}
