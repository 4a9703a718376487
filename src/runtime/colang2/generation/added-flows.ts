import { ActionError } from "../../../diagnostics/errors.js";
import { compileAddedFlows } from "../../../colang2/compile.js";
import { compileWrittenFlows } from "../../../colang2/written-flows.js";
import { createSourceFile } from "../../../diagnostics/source-file.js";
import { cleanCompletion } from "./completion.js";
import { dynamicName, flowNameOf } from "./flow-name.js";
import type { Colang2Step } from "./services.js";
import { flowText, indentOf, sayingFlow } from "./written-body.js";

/** Maximum number of flows that a conversation may have added at a time. */
const MAX_ADDED = 200;
const UNKNOWN = "unknown flow";

/**
 * Adds the flows of a Colang text to the conversation and skips known names. If the text is rejected, adds one flow
 * with its first readable name that emits the configured internal error.
 *
 * @returns the names of the added flows
 * @throws ActionError if the conversation has added too many flows
 */
export function addFlows(text: string, step: Colang2Step): readonly string[] {
  const { access, settings } = step;
  const { definitions } = access;
  if ([...definitions.keys()].filter((id) => access.isAdded(id)).length >= MAX_ADDED) {
    const message = `the conversation has added ${MAX_ADDED} flows and removed none`;
    throw new ActionError(message, { action: "AddFlowsAction" });
  }
  const allowedActions = settings.llm_flows.allowed_actions;
  const { flows, problems } = compileWrittenFlows(text, { definitions, allowedActions });
  if (problems.length === 0) return access.addFlows(flows, text);
  // The name in the first header, if it is valid.
  const written = HEADER.exec(text)?.[1]?.replace(/->.*$/, "").replace(/:\s*$/, "") ?? "";
  const { name, body } = sayingFlow(flowNameOf(written) ?? UNKNOWN, settings.messages.internal_error, step);
  // INVARIANT: problems never repeat the text, so the log shows nothing unreviewed.
  const note = `log "the generated flow is not used: ${problems.join(", ").replace(/["\\{}]/g, "")}"`;
  const instead = flowText({ name, body: [note, ...body] });
  const compiled = compileAddedFlows(createSourceFile("written", instead), definitions);
  return access.addFlows(compiled.flows, instead);
}

const HEADER = /^\s*flow\s+([^$(\n]*)/m;

/**
 * Adds a flow with a unique name around statements.
 *
 * @returns the name
 */
export function createFlow(name: string, body: string, decorators: string, step: Colang2Step): string {
  const unique = dynamicName(step.access.nextId(), flowNameOf(name) ?? "flow");
  const lines = cleanCompletion(body)
    .split("\n")
    .filter((line) => line.trim() !== "");
  const margin = Math.min(...lines.map(indentOf));
  const shifted = lines.map((line) => line.slice(margin).trimEnd());
  addFlows(flowText({ name: unique, body: shifted, decorators: decorators.trim() }), step);
  return unique;
}

/** Removes added flows; those of the program stay. */
export function removeFlows(ids: unknown, { access }: Pick<Colang2Step, "access">): void {
  const names = Array.isArray(ids) ? ids : [ids];
  access.removeFlows(names.filter((id): id is string => typeof id === "string"));
}
