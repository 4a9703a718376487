import { createDiagnostic } from "../diagnostics/diagnostic.js";
import { DiagnosticError } from "../diagnostics/errors.js";
import { didYouMean } from "../diagnostics/suggestion.js";
import type { RuntimeServices } from "./services.js";

/** The error for a flow that a caller names and that does not exist. */
export function unknownFlow({ flows }: RuntimeServices, name: string): DiagnosticError {
  const hint = didYouMean(name, flows.keys());
  return new DiagnosticError([createDiagnostic("CO-204", `unknown flow \`${name}\``, { hint })]);
}
