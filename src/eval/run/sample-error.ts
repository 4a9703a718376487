import { GuardrailsError } from "../../diagnostics/errors.js";

/**
 * What a failure means for one sample: rails and models that fail are a result of the evaluation, and are counted.
 *
 * @throws the error itself when the run was aborted, or when it is nobody's model but a mistake in code
 */
export function readSampleError(error: unknown, signal: AbortSignal): string {
  if (signal.aborted || !GuardrailsError.isInstance(error)) throw error;
  return error.message;
}
