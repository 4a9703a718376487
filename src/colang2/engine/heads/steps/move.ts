import type { Value } from "../../../../expressions/values/value.js";
import type { Element, ElementOf } from "../../../elements.js";
import type { FlowInstance, Head } from "../../state/records.js";
import type { EngineState } from "../../state/state.js";

/**
 * Next position of a head after an instruction: undefined for the next instruction, an address, or none. `report` means
 * that it is at an act or a merge and continues when that is resolved.
 */
export type Move =
  | undefined
  | number
  | "wait"
  | "report"
  | "vanish"
  | { readonly kind: "fork"; readonly heads: readonly Head[] }
  | { readonly kind: "fail"; readonly isAbort: boolean }
  | { readonly kind: "return"; readonly value: Value };

/** An instruction being executed. */
export interface Step<Kind extends Element = Element> {
  readonly state: EngineState;
  readonly instance: FlowInstance;
  readonly head: Head;
  readonly element: Kind;
  /** Heads that the instruction added to open forks; they are advanced after this one. */
  readonly added: Head[];
}

/** Implementation of each kind of instruction. Throws `GuardrailsError` for an error that fails the flow. */
export type Steps = { readonly [Kind in Element["kind"]]: (step: Step<ElementOf<Kind>>) => Move };
