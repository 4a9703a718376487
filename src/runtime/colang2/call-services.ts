import type { GuardrailsEvent } from "../../engine/events.js";
import { COLANG2_SERVICE, accessConversation } from "./generation/conversation-access.js";
import { runRailsOfStage } from "../../rails/run-stage.js";
import { selectRails } from "../../rails/plan.js";
import { untilAborted } from "../../engine/async.js";
import type { Colang2Call } from "./generation/services.js";
import { historyEvents, type Colang2Run, utterancesOf, type Colang2Services, variablesOf } from "./run.js";
import { GenerationAccess, type GeneratingAction } from "../generation-access.js";
import type { RespondingRun } from "../response-stream.js";

/** Values registered by name, plus the per-call dependencies of generation actions under `call`. */
export function callServices(
  services: Colang2Services,
  run: Colang2Run,
  action: GeneratingAction,
): Readonly<Record<string, unknown>> {
  const { actionParams } = services;
  const call = new CallServices(services, run, action);
  const access = accessConversation(
    () => run.engine,
    (round) => run.noteRound?.(round),
    () => {
      const transcript = run.events.findLast(({ type }) => type === "UtteranceUserActionFinished")?.[
        "final_transcript"
      ];
      return typeof transcript === "string" ? transcript : run.turn.userTexts.at(-1);
    },
  );
  // New keys come before a spread: after it they give each object its own hidden class.
  const isTaken = Object.hasOwn(actionParams, "call") || Object.hasOwn(actionParams, COLANG2_SERVICE);
  return isTaken
    ? { ...actionParams, call, [COLANG2_SERVICE]: access }
    : { call, [COLANG2_SERVICE]: access, ...actionParams };
}

class CallServices extends GenerationAccess implements Colang2Call {
  readonly filterChunks: Colang2Call["filterChunks"];
  readonly #services: Colang2Services;
  readonly #run: Colang2Run;
  readonly #action: GeneratingAction;

  constructor(services: Colang2Services, run: Colang2Run, action: GeneratingAction) {
    super(run, action);
    this.#services = services;
    this.#run = run;
    this.#action = action;
    // Assigned to a named constant, as in `RunActionContext`.
    const filterChunks: Colang2Call["filterChunks"] = (context) => filterRetrieved(services, run, context);
    this.filterChunks = filterChunks;
  }

  protected override responding(): RespondingRun {
    const run = this.#run;
    return {
      services: this.#services,
      run,
      context: () => variablesOf(run),
      past: () => [...run.past(), ...historyEvents(run.events)],
      hasEmittedText: () => utterancesOf(run.events).length > 0,
      userTexts: () => run.userSide?.() ?? run.turn.readTexts,
      span: this.#action.span,
    };
  }
}

async function filterRetrieved(
  services: Colang2Services,
  run: Colang2Run,
  context: Readonly<Record<string, unknown>>,
): ReturnType<Colang2Call["filterChunks"]> {
  if (run.scope === "rail" || typeof context["relevant_chunks"] !== "string") return { context, blocked: false };
  const { turn, config, cancellation } = run;
  // Rails may have effects, so none run before the verdict.
  if (run.isSpeculative === true && selectRails(services, turn.options, "retrieval").length > 0) {
    return untilAborted(new Promise<never>(() => undefined), cancellation);
  }
  const past = (): readonly GuardrailsEvent[] => [...run.past(), ...historyEvents(run.events)];
  const request = { turn, stage: "retrieval", context, config, cancellation, past } as const;
  const { blocked, refusal, contextUpdates } = await runRailsOfStage(services, request);
  return { context: { ...context, ...contextUpdates }, blocked, ...(refusal === undefined ? {} : { refusal }) };
}
