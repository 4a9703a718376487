import { ActionError, GuardrailsError } from "../diagnostics/errors.js";

const OVERTAKEN = "RL-105";

/** Why a rail is ended without which the outcome of its stage is certain. */
export function overtaken(rail: string): ActionError {
  return new ActionError("another rail settled the verdict first", { action: rail, code: OVERTAKEN });
}

/** INVARIANT: an overtaken rail has decided nothing: it is no error and no block. */
export function isOvertaken(reason: unknown): boolean {
  return GuardrailsError.isInstance(reason) && reason.code === OVERTAKEN;
}
