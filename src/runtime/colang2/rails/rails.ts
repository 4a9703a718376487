import { parseFlowReference } from "../../../engine/flow-reference.js";
import { findLibraryFlow } from "../../../library/manifest.js";
import { REWRITTEN } from "../../../rails/rail-decision.js";
import type { RailDialect, RailScope } from "../../../rails/rail-dialect.js";
import { GENERATED_MODULE } from "../compile/generated-flows.js";
import { stageByReads, type RailTraits } from "../../../rails/plan.js";
import { runRailFlow } from "./run-rail-flow.js";
import { type Colang2Services, utterancesOf, completeEvent } from "../run.js";
import { EngineConversation } from "../../../colang2/engine/conversation.js";
import { Cancellation } from "../../../engine/async.js";
import type { GuardrailsEvent } from "../../../engine/events.js";
import { HostLoop } from "../host-loop.js";
import type { LocalActions } from "../local-actions.js";
import { engineSettings } from "../stored-conversation.js";
import { statedScope, needsEvidence, railTraits } from "../../rail-facts.js";
import type { ActionRegistry } from "../../../actions/registry.js";
import type { Colang2Program, CompiledFlow } from "../../../colang2/program.js";
import { standardModuleNames } from "../../../colang2/imports/imports.js";
import { isLibraryModule } from "../compile/library-place.js";

/** Flows that a response passes on its way to the user. */
const STATIONS = ["answering the user", "bot say", "_bot_say", "run output rails", "output rails"];

/** Rails in Colang 2.x. */
export function colang2Rails(services: () => Colang2Services): RailDialect {
  const flowOf = (id: string) => services().program.flows.find((flow) => flow.id === id);
  // A library rail, unless a flow of the configuration replaces it.
  const listedIn = (id: string) => (isLibraryModule(flowOf(id)?.module ?? "") ? findLibraryFlow(id) : undefined);
  const scopeOf = (reference: string): RailScope => {
    const { id } = parseFlowReference(reference);
    const listed = listedIn(id);
    if (listed !== undefined) return listed.flow.stream ?? "window";
    const stream = flowOf(id)?.meta["stream"];
    if (stream !== undefined) return statedScope(stream);
    // INVARIANT: a rail that may rewrite the response, and states no scope, reviews the whole response.
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
    rewritesResponse: (reference) => {
      const scope = scopeOf(reference);
      if (scope === "word" || scope === "line") return true;
      return services().railPlans.traits.get(reference)?.writes.has(REWRITTEN.output) === true;
    },
    // INVARIANT: if a flow of the configuration intervenes, only the end of the turn shows what the user gets.
    emitsReviewedText: () => {
      const { hasDialog } = services();
      const isOurs = (module = GENERATED_MODULE): boolean => module === GENERATED_MODULE || !module.endsWith(".co");
      return !hasDialog && STATIONS.every((id) => isOurs(flowOf(id)?.module));
    },
    refusal: (context) => refusalText(services(), context),
    isWritten: (text) => services().writtenTexts.has(text),
    run: (start) => runRailFlow(services(), start),
  };
}

const REFUSAL = "bot refuse to respond";

/** Rails do not check the text of a refusal. */
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
    await loop.perform(() => engine.start(REFUSAL).round, { signal: new Cancellation(), blocking: true });
    const utterances = utterancesOf(events);
    return utterances.length === 0 ? undefined : utterances.join("\n");
  } finally {
    loop.close();
  }
}

/** Modules whose flows only speak, wait and observe; other modules are only known at run time. */
const QUIET: ReadonlySet<string> = new Set(["core", "guardrails", "timing"]);

const SPEAKING: ReadonlySet<string> = new Set(["UtteranceBotAction"]);

/** Effects of a flow and all flows that it starts, as its code shows them. */
class Effects {
  readonly reads = new Set<string>();
  readonly writes = new Set<string>();
  readonly actions = new Set<string>();
  readonly sends = new Set<string>();
  isKnown = true;
  readonly #flows: ReadonlyMap<string, CompiledFlow>;
  readonly #seen = new Set<string>();

  constructor(program: Colang2Program) {
    this.#flows = new Map(program.flows.map((flow) => [flow.id, flow]));
  }

  add(id: string): void {
    const flow = this.#flows.get(id);
    if (this.#seen.has(id)) return;
    this.#seen.add(id);
    if (flow === undefined) this.isKnown = false;
    else if (!QUIET.has(flow.module)) {
      if (standardModuleNames().includes(flow.module)) this.isKnown = false;
      this.#read(flow);
    }
  }

  #read(flow: CompiledFlow): void {
    const globals = new Set<string>();
    for (const element of flow.elements)
      if (element.kind === "Global") for (const name of element.names) globals.add(name);
    for (const name of globals) this.reads.add(name);
    for (const element of flow.elements) {
      if (element.kind === "Set" && globals.has(element.target.name)) this.writes.add(element.target.name);
      if (element.kind === "NextItem" && globals.has(element.target.name)) this.writes.add(element.target.name);
      if (element.kind === "NewAction") this.actions.add(element.action);
      if (element.kind === "StartFlow") {
        if (element.flow === undefined) this.isKnown = false;
        else this.add(element.flow);
      }
      if (element.kind === "StartReference" || element.kind === "SendReference") this.isKnown = false;
      if (element.kind === "Emit") this.isKnown = false;
      if (element.kind === "Act" && element.request.form === "event") this.sends.add(element.request.name);
      // An expression statement may be a method call that mutates a list or a map.
      if (element.kind === "Evaluate" && globals.size > 0) this.isKnown = false;
    }
  }
}

/** Returns the traits of a rail in Colang 2.x. */
export function colang2Traits(program: Colang2Program, registry: ActionRegistry, reference: string): RailTraits {
  const { id } = parseFlowReference(reference);
  const effects = new Effects(program);
  effects.add(id);
  const { reads, writes, isKnown } = effects;
  const actions = [...effects.actions].filter((name) => !SPEAKING.has(name));
  const event = [...effects.sends].find((name) => !name.endsWith("Exception"));
  const effect = event === undefined ? undefined : `it sends the event \`${event}\``;
  return railTraits(registry, { reads, writes, isKnown, actions, effect });
}
