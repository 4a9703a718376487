import type { GuardrailsEvent } from "../../engine/events.js";
import { COLANG2_SERVICE, accessConversation } from "./generation/conversation-access.js";
import { runRailsOfStage } from "../../rails/run-stage.js";
import { selectRails } from "../../rails/plan.js";
import { untilAborted } from "../../engine/async.js";
import type { ActionCall } from "../action-context.js";
import type { Colang2Call } from "./generation/services.js";
import { historyEvents, type Colang2Run, utterancesOf, type Colang2Services } from "./run.js";
import { type AnsweringRun, openWriter, guardedGenerator } from "../answer-stream.js";

/** Values registered by name, and under `call` what generation actions need of this very call. */
export function callServices(
  services: Colang2Services,
  run: Colang2Run,
  action: Pick<ActionCall, "unlimited" | "span">,
): Readonly<Record<string, unknown>> {
  let call: Colang2Call | undefined;
  return {
    ...services.actionParams,
    [COLANG2_SERVICE]: accessConversation(
      run.engine,
      (round) => run.noteRound?.(round),
      () => {
        const said = run.events.findLast(({ type }) => type === "UtteranceUserActionFinished")?.["final_transcript"];
        return typeof said === "string" ? said : run.turn.userTexts.at(-1);
      },
    ),
    get call() {
      return (call ??= generationCall(services, run, action));
    },
  };
}

function generationCall(
  services: Colang2Services,
  run: Colang2Run,
  { unlimited, span }: Pick<ActionCall, "unlimited" | "span">,
): Colang2Call {
  const { turn } = run;
  const past = (): readonly GuardrailsEvent[] => [...run.past(), ...historyEvents(run.events)];
  const answering: AnsweringRun = {
    services,
    run,
    context: () => run.engine.globals,
    past,
    hasSpoken: () => utterancesOf(run.events).length > 0,
    userTexts: () => run.userSide?.() ?? turn.readTexts,
    span,
  };
  // INVARIANT: an action goes on in the world it began in, ahead of the verdict or behind it.
  const speculation = run.scope === "rail" ? undefined : turn.speculation;
  return {
    ...(speculation && { lookup: (key, search) => speculation.lookup(key, run.cancellation.signal, search) }),
    writeText: openWriter(answering, unlimited),
    atEnd: (end) => turn.atEnd(end),
    llmParams: turn.options.llmParams,
    filterChunks: async (context) => {
      if (run.scope === "rail" || typeof context["relevant_chunks"] !== "string") return { context, blocked: false };
      const { config, cancellation } = run;
      // Rails may do anything, and ahead of the verdict nothing is done.
      if (run.isSpeculative === true && selectRails(services, turn.options, "retrieval").length > 0) {
        return untilAborted(new Promise<never>(() => undefined), cancellation);
      }
      const request = { turn, stage: "retrieval", context, config, cancellation, past } as const;
      const { blocked, refusal, contextUpdates } = await runRailsOfStage(services, request);
      return { context: { ...context, ...contextUpdates }, blocked, ...(refusal === undefined ? {} : { refusal }) };
    },
    generator: guardedGenerator(answering),
  };
}
