import type { Value } from "../../../../expressions/values/value.js";
import type { Element } from "../../../elements.js";
import type { FlowInstance, Head } from "../../state/records.js";
import type { EngineState } from "../../state/state.js";

/**
 * The next place of a head after an instruction: the next instruction, an address, or none. `report` means that it stands on
 * an act or a merge and continues when that is resolved.
 */
export type Move =
  | number
  | "next"
  | "wait"
  | "report"
  | "vanish"
  | { readonly kind: "fork"; readonly heads: readonly Head[] }
  | { readonly kind: "fail"; readonly isAbort: boolean }
  | { readonly kind: "return"; readonly value: Value };

/** One instruction in execution. */
export interface Step<Kind extends Element = Element> {
  readonly state: EngineState;
  readonly instance: FlowInstance;
  readonly head: Head;
  readonly element: Kind;
  /** Heads that the instruction added to open forks; they are advanced after this one. */
  readonly added: Head[];
}
