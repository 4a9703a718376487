import type { SourceLocation, Span } from "../../diagnostics/source-file.js";
import { resolveActionName, type MergedDefinitions, type MergedFlow, mergeDefinitions } from "../merge-definitions.js";
import type { ActionCatalog, CompileFile, CompileInput, RailReference } from "../compile-input.js";
import { ProgramFlow, assignTiers, calledFlows, reachable } from "../compile-flow.js";
import { parseFlowReference } from "../../engine/flow-reference.js";
import { type LowerContext, lowerFlow, type LoweredFlow } from "../lower/lower.js";

/** A flow of the program, before and after lowering, with its uses. */
export interface FlowFacts extends MergedFlow {
  readonly isRail: boolean;
  readonly lowered: LoweredFlow;
  readonly compiled: ProgramFlow;
}

/** A listed rail with the id it refers to. */
export interface ListedRail extends RailReference {
  readonly id: string;
  readonly parameters: readonly string[];
  /** Parts of the reference that are neither name nor parameter. */
  readonly unread: readonly string[];
}

/** Facts about a program for its validation rules. */
export interface ProgramFacts {
  readonly input: CompileInput;
  readonly files: readonly CompileFile[];
  readonly merged: MergedDefinitions;
  readonly flows: readonly FlowFacts[];
  readonly flowsById: ReadonlyMap<string, FlowFacts>;
  readonly rails: readonly ListedRail[];
  /** Ids of the listed rails and their callees. */
  readonly inRails: ReadonlySet<string>;
  /** Ids of the listed rails, and of flows that replace the flows that run them. */
  readonly deciding: ReadonlySet<string>;
  /** Static calls: id to the ids called. */
  readonly calls: ReadonlyMap<string, ReadonlySet<string>>;
  /** Example text to the intents that have it. */
  readonly intentsByText: ReadonlyMap<string, readonly string[]>;
}

/** Merges, lowers and connects the files of a program. */
export function gatherFacts(
  input: CompileInput,
  files: readonly CompileFile[],
  locate: (span: Span) => SourceLocation,
): ProgramFacts {
  const merged = mergeDefinitions(files, input.yaml);
  const rails = listedRails(input);
  const railIds = new Set(rails.map((rail) => rail.id));
  const calls = new Map(merged.flows.map(({ id, statements }) => [id, calledFlows(statements)]));
  const tiers = assignTiers(merged.flows, railIds, calls);
  const intentsByText = indexIntents(merged);
  const definitions = new Map(merged.flows.map((flow) => [flow.id, flow]));
  const flows = merged.flows.map((flow): FlowFacts => {
    const context: LowerContext = {
      locate,
      intentsOf: (text) => intentsByText.get(text) ?? [],
      parametersOfAction: (name) => parametersOfAction(name, input.actions),
      parametersOfFlow: (id) => definitions.get(id)?.definition.parameters ?? [],
      saysItsOwnText: ({ intent }) => merged.botMessages.get(intent?.text ?? "")?.origin === flow.origin,
    };
    const lowered = lowerFlow(flow.definition, context);
    const use = { tier: tiers.get(flow.id) ?? "user", isRail: railIds.has(flow.id) };
    return {
      ...flow,
      isRail: use.isRail,
      lowered,
      compiled: ProgramFlow.compile(flow.definition, lowered, use, context),
    };
  });
  const flowsById = new Map(flows.map((flow) => [flow.id, flow]));
  const inRails = reachable(railIds, calls);
  const replaced = merged.flows.filter(({ id, replacesDefault }) => replacesDefault && RAIL_RUNNERS.has(id));
  const deciding = new Set([...railIds, ...replaced.map(({ id }) => id)]);
  return { input, files, merged, flows, flowsById, rails, inRails, deciding, calls, intentsByText };
}

/** Flows of the default pipeline that every text passes. */
const RAIL_RUNNERS: ReadonlySet<string> = new Set([
  "process user input",
  "run input rails",
  "run retrieval rails",
  "process bot message",
  "run output rails",
]);

function parametersOfAction(written: string, actions: ActionCatalog | undefined): readonly string[] | undefined {
  const action = actions && resolveActionName(written, actions);
  return action && actions.parametersOf(action.name);
}

function listedRails({ rails }: CompileInput): ListedRail[] {
  const references = [
    ...(rails?.input ?? []),
    ...(rails?.output ?? []),
    ...(rails?.retrieval ?? []),
    ...(rails?.tools ?? []),
  ];
  return references.map((reference) => {
    const { id, parameters, unread } = parseFlowReference(reference.text);
    return { ...reference, id, parameters: parameters.map((parameter) => parameter.name), unread };
  });
}

function indexIntents({ userMessages }: MergedDefinitions): Map<string, string[]> {
  const index = new Map<string, string[]>();
  for (const [intent, { texts }] of userMessages) {
    for (const text of new Set(texts)) {
      const intents = index.get(text);
      if (intents) intents.push(intent);
      else index.set(text, [intent]);
    }
  }
  return index;
}
