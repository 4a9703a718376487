import type { Element, ElementOf } from "../../../elements.js";
import * as control from "./control-steps.js";
import type { Move, Step } from "./move.js";
import * as requests from "./request-steps.js";
import * as values from "./value-steps.js";
import { wait } from "../build-pattern.js";

/**
 * The execution of each kind of instruction. It throws `GuardrailsError` for an error that fails the flow.
 *
 * INVARIANT: a kind of instruction without an entry here does not compile.
 */
export const STEPS: { readonly [Kind in Element["kind"]]: (step: Step<ElementOf<Kind>>) => Move } = {
  Entry: control.entry,
  Set: values.set,
  Forget: values.forget,
  Evaluate: values.evaluateOnly,
  Emit: requests.emitInternal,
  StartFlow: requests.startFlow,
  StartReference: requests.startReference,
  NewAction: requests.newAction,
  Act: requests.act,
  SendReference: requests.sendReference,
  Wait: wait,
  Idle: control.idle,
  Goto: values.goTo,
  GotoIf: values.goToIf,
  GotoIfFlow: values.goToIfFlow,
  BeginLoop: values.beginLoop,
  NextItem: values.nextItem,
  Fork: control.fork,
  Spawn: control.spawn,
  Ready: control.ready,
  Vanish: control.vanish,
  Join: control.join,
  Merge: control.merge,
  PushHandler: control.pushHandler,
  PopHandler: control.popHandler,
  OpenScope: control.openScope,
  CloseScope: control.closeOpenScope,
  Fail: control.fail,
  Return: values.giveBack,
  Priority: values.priority,
  Log: values.log,
  Print: values.print,
  Global: values.declareGlobals,
  RestartPoint: control.restartPoint,
};
