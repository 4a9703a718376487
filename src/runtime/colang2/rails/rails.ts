import { parseFlowReference } from "../../../engine/flow-reference.js";
import { findLibraryFlow } from "../../../library/manifest.js";
import { REWRITTEN } from "../../../rails/rail-decision.js";
import type { RailDialect, RailScope } from "../../../rails/rail-dialect.js";
import { GENERATED_MODULE } from "../compile/generated-flows.js";
import { stageByReads } from "../../../rails/plan.js";
import { isOfLibrary, colang2Traits } from "./flow-traits.js";
import { runRailFlow } from "./run-rail-flow.js";
import { type Colang2Services, utterancesOf } from "../run.js";
import { EngineConversation } from "../../../colang2/engine/conversation.js";
import type { GuardrailsEvent } from "../../../engine/events.js";
import { completeEvent } from "../complete-event.js";
import { HostLoop } from "../host-loop.js";
import type { LocalActions } from "../local-actions.js";
import { engineSettings } from "../stored-conversation.js";
import { statedScope, needsEvidence } from "../../rail-facts.js";

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
    if (stream !== undefined) return statedScope(stream);
    // INVARIANT: a rail that may rewrite the answer, and says nothing else of itself, sees it as a whole.
    const traits = services().railPlans.traits.get(reference);
    return traits?.isKnown === true && !traits.writes.has(REWRITTEN.output) ? "window" : "answer";
  };
  return {
    has: (flow) => flowOf(flow) !== undefined,
    get names() {
      return services().program.flows.map(({ id }) => id);
    },
    needsEvidence,
    stageOf: (reference) => {
      const { id } = parseFlowReference(reference);
      const listed = listedIn(id)?.flow.stage;
      if (listed !== undefined && listed !== "dialog") return listed;
      const { program, registry } = services();
      return flowOf(id) === undefined ? undefined : stageByReads(colang2Traits(program, registry, reference).reads);
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

const REFUSAL = "bot refuse to respond";

/** No rail looks at the words of a refusal. */
const UNCHECKED: LocalActions = {
  launch: ({ type, action_uid: uid }) =>
    type === "StartRunOutputRailsAction"
      ? {
          done: Promise.resolve({
            events: [{ type: "RunOutputRailsActionFinished", action_uid: uid, return_value: { passed: true } }],
          }),
          stop: () => undefined,
        }
      : undefined,
};

/** Returns the text of the flow `bot refuse to respond`; undefined if there is none. */
async function refusalText(
  services: Colang2Services,
  context: Readonly<Record<string, unknown>>,
): Promise<string | undefined> {
  if (!services.rails.has(REFUSAL)) return undefined;
  const events: GuardrailsEvent[] = [];
  const engine = new EngineConversation(services.program, { context, ...engineSettings(services), prefix: "refusal" });
  const loop = new HostLoop({
    engine,
    local: UNCHECKED,
    instantActions: new Set(["UtteranceBotAction"]),
    maxEvents: services.limits.eventsPerTurn,
    complete: (draft) => completeEvent(draft, services.events),
    onEvent: (event) => events.push(event),
  });
  try {
    const { signal } = new AbortController();
    await loop.perform(() => engine.start(REFUSAL).round, { signal, blocking: true });
    const said = utterancesOf(events);
    return said.length === 0 ? undefined : said.join("\n");
  } finally {
    loop.close();
  }
}
