import type { Value } from "../../../../expressions/values/value.js";
import type { Element } from "../../../elements.js";
import type { EngineState, Head } from "../../state/state.js";

/**
 * Where a head goes after an instruction: to the next one, to an address, or nowhere. `report` says that it stands on an act
 * or a merge and that somebody else decides when it goes on.
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
  readonly head: Head;
  readonly element: Kind;
  /** Heads that the instruction added to open forks; they are advanced after this one. */
  readonly added: Head[];
}
