import { createDiagnostic } from "../../diagnostics/diagnostic.js";
import { DiagnosticError } from "../../diagnostics/errors.js";
import { didYouMean } from "../../diagnostics/suggestion.js";
import { describeUnavailableRail } from "../../engine/unavailable-rails.js";
import type { Colang2Services } from "./run.js";

/** The error for a flow that a caller names and that does not exist. */
export function unknownColang2Flow({ program }: Colang2Services, name: string): DiagnosticError {
  const near = didYouMean(
    name,
    program.flows.map(({ id }) => id),
  );
  const { message, hint } = describeUnavailableRail(name) ?? { message: `unknown flow \`${name}\``, hint: near };
  return new DiagnosticError([createDiagnostic("CO-204", message, { hint })]);
}
