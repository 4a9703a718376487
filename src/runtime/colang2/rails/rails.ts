import { parseFlowReference } from "../../../engine/flow-reference.js";
import { findLibraryFlow } from "../../../library/manifest.js";
import { REWRITTEN } from "../../../rails/rail-decision.js";
import type { RailDialect, RailScope } from "../../../rails/rail-dialect.js";
import { GENERATED_MODULE } from "../compile/generated-flows.js";
import { stageByReads } from "../../../rails/plan.js";
import { isOfLibrary, railTraits } from "./flow-traits.js";
import { refusalText } from "./refusal-text.js";
import { runRailFlow } from "./run-rail-flow.js";
import type { Colang2Services } from "../services.js";

const SCOPES: ReadonlySet<unknown> = new Set<RailScope>(["window", "word", "line", "answer"]);
/** Through these an answer goes on its way to the user. */
const STATIONS = ["answering the user", "bot say", "_bot_say", "run output rails", "output rails"];

/** Rails in Colang 2.x. */
export function colang2Rails(services: () => Colang2Services): RailDialect {
  const flowOf = (id: string) => services().program.flows.find((flow) => flow.id === id);
  const listedIn = (id: string) => (isOfLibrary(services().program, id) ? findLibraryFlow(id) : undefined);
  const scopeOf = (reference: string): RailScope => {
    const { id } = parseFlowReference(reference);
    const listed = listedIn(id);
    if (listed !== undefined) return listed.flow.stream ?? "window";
    const stream = flowOf(id)?.meta["stream"];
    if (stream !== undefined) return SCOPES.has(stream) ? (stream as RailScope) : "answer";
    // INVARIANT: a rail that may rewrite the answer, and says nothing else of itself, sees it as a whole.
    const traits = services().railPlans.traits.get(reference);
    return traits?.isKnown === true && !traits.writes.has(REWRITTEN.output) ? "window" : "answer";
  };
  return {
    has: (flow) => flowOf(flow) !== undefined,
    get names() {
      return services().program.flows.map(({ id }) => id);
    },
    needsEvidence: (reference) => findLibraryFlow(parseFlowReference(reference).id)?.flow.needsEvidence === true,
    stageOf: (reference) => {
      const { id } = parseFlowReference(reference);
      const listed = listedIn(id)?.flow.stage;
      if (listed !== undefined && listed !== "dialog") return listed;
      const { program, registry } = services();
      return flowOf(id) === undefined ? undefined : stageByReads(railTraits(program, registry, reference).reads);
    },
    scopeOf,
    rewritesAnswer: (reference) => {
      const scope = scopeOf(reference);
      if (scope === "word" || scope === "line") return true;
      return services().railPlans.traits.get(reference)?.writes.has(REWRITTEN.output) === true;
    },
    // INVARIANT: where a flow of the configuration stands between, only the end of the turn tells what the user gets.
    saysWhatPassed: () => {
      const { hasDialog } = services();
      return !hasDialog && STATIONS.every((id) => isOurs(flowOf(id)?.module));
    },
    refusal: (context) => refusalText(services(), context),
    isWritten: (text) => services().writtenTexts.has(text),
    run: (start) => runRailFlow(services(), start),
  };
}

function isOurs(module: string | undefined): boolean {
  return module === undefined || module === GENERATED_MODULE || !module.endsWith(".co");
}
