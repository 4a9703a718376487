import type { ActionDefinition } from "../actions/action.js";
import { selfCheckFactsAction } from "./self-check-facts/actions.js";
import { selfCheckHallucinationAction } from "./self-check-hallucination/actions.js";
import { selfCheckInputAction } from "./self-check-input/actions.js";
import { selfCheckOutputAction } from "./self-check-output/actions.js";
import { checkToolCallPatternsAction, checkToolResultPatternsAction } from "./tool-patterns/actions.js";
import { judgeToolCallAction, judgeToolResultAction } from "./tool-safety/actions.js";
import { checkToolCallAction, checkToolResultAction } from "./tool-validation/actions.js";

interface LibraryFlow {
  /** As it is listed in `rails.<stage>.flows`, without parameters. */
  readonly name: string;
  /**
   * Stage of the flow. A dialog flow is started by events and not listed as a rail; rails on the calls of tools stand under
   * `tool_output`, those on their results under `tool_input`.
   */
  readonly stage: "input" | "output" | "retrieval" | "dialog" | "tool_output" | "tool_input";
  /**
   * Part of a streamed message that an output rail has to read at once; default: `window`. No rail of the library rewrites.
   */
  readonly stream?: "window" | "answer";
  /** It compares a text with evidence and does nothing without. */
  readonly needsEvidence?: boolean;
}

/** One folder of the library. */
export interface LibraryRail {
  readonly folder: string;
  readonly flows: readonly LibraryFlow[];
  /**
   * Requirements, checked when a configuration is loaded: tasks whose prompts it uses (a prompt of the configuration replaces
   * ours), and the main model itself, where a model for its tasks is not enough.
   */
  readonly needs: { readonly tasks: readonly string[]; readonly mainModel: boolean };
  readonly actions: readonly ActionDefinition[];
}

/** Every rail that can be named in a configuration without being defined in it. */
export const LIBRARY_RAILS: readonly LibraryRail[] = [
  {
    folder: "self-check-input",
    flows: [{ name: "self check input", stage: "input" }],
    needs: { tasks: ["self_check_input"], mainModel: false },
    actions: [selfCheckInputAction],
  },
  {
    folder: "self-check-output",
    flows: [{ name: "self check output", stage: "output" }],
    needs: { tasks: ["self_check_output"], mainModel: false },
    actions: [selfCheckOutputAction],
  },
  {
    folder: "self-check-facts",
    flows: [{ name: "self check facts", stage: "output", stream: "answer", needsEvidence: true }],
    needs: { tasks: ["self_check_facts"], mainModel: false },
    actions: [selfCheckFactsAction],
  },
  {
    folder: "self-check-hallucination",
    flows: [
      { name: "self check hallucination", stage: "output", stream: "answer" },
      { name: "hallucination warning", stage: "dialog" },
    ],
    needs: { tasks: ["self_check_hallucination", "general"], mainModel: true },
    actions: [selfCheckHallucinationAction],
  },
  {
    folder: "tool-validation",
    flows: [
      { name: "tool call validation", stage: "tool_output" },
      { name: "tool result validation", stage: "tool_input" },
    ],
    needs: { tasks: [], mainModel: false },
    actions: [checkToolCallAction, checkToolResultAction],
  },
  {
    folder: "tool-patterns",
    flows: [
      { name: "regex check tool output", stage: "tool_output" },
      { name: "regex check tool input", stage: "tool_input" },
    ],
    needs: { tasks: [], mainModel: false },
    actions: [checkToolCallPatternsAction, checkToolResultPatternsAction],
  },
  {
    folder: "tool-safety",
    flows: [
      { name: "tool safety check tool output", stage: "tool_output" },
      { name: "tool safety check tool input", stage: "tool_input" },
    ],
    needs: { tasks: ["tool_safety_check_output", "tool_safety_check_input"], mainModel: false },
    actions: [judgeToolCallAction, judgeToolResultAction],
  },
];

/**
 * Finds the rail of a flow name.
 *
 * @example
 * ```ts
 * findLibraryFlow("self check input")?.rail.needs.tasks; // ["self_check_input"]
 * ```
 */
export function findLibraryFlow(name: string): { readonly rail: LibraryRail; readonly flow: LibraryFlow } | undefined {
  for (const rail of LIBRARY_RAILS) {
    const flow = rail.flows.find((each) => each.name === name);
    if (flow) return { rail, flow };
  }
  return undefined;
}
