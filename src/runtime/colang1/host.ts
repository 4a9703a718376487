import { InputShapeError } from "../../diagnostics/errors.js";
import type { DialectHost } from "../dialect-host.js";
import { botMessage, canonicalForm, nextStep } from "./dialog-stages.js";
import type { RuntimeServices } from "./run.js";
import { runSingleFlow } from "./run-single-flow.js";
import { takeTurn } from "./take-turn.js";

/** Runs flows in Colang 1.0. */
export function colang1Host(services: RuntimeServices): DialectHost {
  const { program } = services;
  return {
    services,
    stages: services,
    programHash: program.hash,
    warnings: services.warnings,
    hasDialog: Object.keys(program.userMessages).length > 0 || program.flows.some((flow) => flow.tier === "user"),
    hasMain: services.models.main !== undefined,
    hasInputFlow: false,
    takeTurn: (...turn) => takeTurn(services, ...turn),
    // In Colang 1.0 no flow waits for the result of a tool.
    awaits: () => false,
    openSession: () => {
      throw new InputShapeError(
        "`events()` needs a configuration in Colang 2.x; in Colang 1.0 pass events to `generate`, as messages of the role `event`",
      );
    },
    runFlow: (...call) => runSingleFlow(services, ...call),
    canonicalForm: (...call) => canonicalForm(services, ...call),
    nextStep: (...call) => nextStep(services, ...call),
    botMessage: (...call) => botMessage(services, ...call),
  };
}
