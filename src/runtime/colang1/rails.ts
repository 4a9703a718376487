import { withVariables } from "../../engine/variables.js";
import { contextOf, createState } from "../../colang1/engine/state.js";
import { flowEffects } from "../../colang1/flow-effects.js";
import type { GuardrailsEvent } from "../../engine/events.js";
import { parseFlowReference } from "../../engine/flow-reference.js";
import { findLibraryFlow } from "../../library/manifest.js";
import { stageByReads } from "../../rails/plan.js";
import { type Soon, whenThere } from "../../engine/soon.js";
import { fed, type Entry } from "../../turn/entry.js";
import type { RailDialect, RailRun, RailStart } from "../../rails/rail-dialect.js";
import { runAction } from "./run-action.js";
import { runLoop } from "./run-loop.js";
import type { Run } from "./run.js";
import type { RuntimeServices } from "./services.js";
import { rewritesAnswer, scopeOfRail } from "./flow-scope.js";
import { saysWhatPassed } from "./stream-rules.js";

/** Rails in Colang 1.0. */
export function colang1Rails(services: () => RuntimeServices): RailDialect {
  return {
    has: (flow) => services().flows.has(flow),
    get names() {
      return services().flows.keys();
    },
    needsEvidence: (reference) => findLibraryFlow(parseFlowReference(reference).id)?.flow.needsEvidence === true,
    stageOf: (reference) => {
      const { program } = services();
      const { id } = parseFlowReference(reference);
      const listed = findLibraryFlow(id)?.flow.stage;
      if (listed !== undefined && listed !== "dialog") return listed;
      const flow = program.flows.find((each) => each.id === id);
      return flow === undefined ? undefined : stageByReads(flowEffects(program, id, flow.parameters).reads);
    },
    scopeOf: (reference) => scopeOfRail(services(), reference),
    rewritesAnswer: (reference) => rewritesAnswer(services(), reference),
    saysWhatPassed: () => saysWhatPassed(services()),
    refusal: (context) => services().generation.messages.render("refuse to respond", context),
    isWritten: (text) => services().writtenTexts.has(text),
    run: (start) => runRailFlow(services(), start),
  };
}

function runRailFlow(services: RuntimeServices, start: RailStart): Soon<RailRun> {
  const run = createRailRun(services, start);
  const first = { type: "start_flow", flow_id: start.flow, params: parametersOf(services, start) };
  return whenThere(runLoop(services, run, [first]), () => railRunOf(services, start, run));
}

function railRunOf(services: RuntimeServices, start: RailStart, run: Run): RailRun {
  const utterances = run.events
    .filter((event) => event.type === "StartUtteranceBotAction")
    .map((event) => String(event["script"] ?? ""));
  const continues = services.flows.get(start.flow)?.continues === true;
  const spoke = utterances.length > 0 && !continues;
  const isBlocked = run.stopped || run.exception !== undefined || spoke;
  return {
    context: contextOf(run.state),
    isBlocked,
    utterances,
    exception: run.exception,
    entries: spokenEntries(run.events, isBlocked),
  };
}

function createRailRun(services: RuntimeServices, { request, flow, config, cancellation, notes }: RailStart): Run {
  const triggered =
    request.stage !== "input" && request.stage !== "output" ? {} : { [`triggered_${request.stage}_rail`]: flow };
  const context = withVariables(request.context, triggered);
  return {
    turn: request.turn,
    scope: "rail",
    state: createState(services.program, context, { scope: "rail", limits: services.limits }),
    past: request.past,
    events: [],
    config,
    cancellation,
    perform: runAction,
    rail: { name: flow, notes },
    stopped: false,
    failed: false,
  };
}

/** Parameters that the rail declares and the reference does not give are null, whatever a variable of that name holds. */
function parametersOf(services: RuntimeServices, start: RailStart): Readonly<Record<string, string | null>> {
  const parameters: Record<string, string | null> = {};
  const declared = services.flows.get(start.flow)?.parameters ?? [];
  for (const name of declared) parameters[name] = null;
  for (const { name, value } of start.parameters) parameters[name] = value;
  return parameters;
}

/** The rail's intents and actions are written down only; what was said, masked or raised reaches the conversation. */
function spokenEntries(events: readonly GuardrailsEvent[], blocked: boolean): Entry[] {
  const entries: Entry[] = [];
  for (const event of events) {
    if (event.type === "StartUtteranceBotAction" || event.type === "mask_prev_user_message") {
      entries.push(fed(event));
    } else if (event.type.endsWith("Exception") && blocked) {
      entries.push(fed(event));
    } else if (event.type === "BotIntent" && event["intent"] !== "stop") {
      entries.push({ draft: event, feed: false });
    }
  }
  return entries;
}
