import type { GuardrailsEvent } from "../../engine/events.js";
import { COLANG2_SERVICE, accessConversation } from "./generation/conversation-access.js";
import type { GenerationCall } from "../../generation/services.js";
import { runRailsOfStage } from "../../rails/run-stage.js";
import { selectRails } from "../../rails/select.js";
import type { Answering } from "../../turn/answer.js";
import { untilAborted } from "../../engine/cancellation.js";
import type { ActionCall } from "../action-context.js";
import { openTeller } from "../teller.js";
import type { FilterChunks } from "./generation/answer-user.js";
import { historyEvents } from "./run.js";
import { type Colang2Run, utterancesOf, type Colang2Services } from "./run.js";
import { ReviewSession } from "../../rails/review/review-session.js";

/** What actions that generate need of a Colang 2.x call, beside what they need in every language. */
export interface Colang2Call extends GenerationCall {
  /** Sends the chunks among these variables through the retrieval rails. */
  readonly filterChunks: FilterChunks;
}

/** Values registered by name, and under `call` what generation actions need of this very call. */
export function callServices(
  services: Colang2Services,
  run: Colang2Run,
  action: Pick<ActionCall, "unlimited">,
): Readonly<Record<string, unknown>> {
  let call: Colang2Call | undefined;
  return {
    ...services.actionParams,
    [COLANG2_SERVICE]: accessConversation({
      conversation: run.engine,
      onRound: (round) => run.noteRound?.(round),
      lastTranscript: () => lastHeard(run),
    }),
    get call() {
      return (call ??= generationCall(services, run, action));
    },
  };
}

function lastHeard({ events, turn }: Colang2Run): string | undefined {
  const heard = events.findLast(({ type }) => type === "UtteranceUserActionFinished")?.["final_transcript"];
  return typeof heard === "string" ? heard : turn.userTexts.at(-1);
}

function generationCall(
  services: Colang2Services,
  run: Colang2Run,
  { unlimited }: Pick<ActionCall, "unlimited">,
): Colang2Call {
  const { turn } = run;
  const { generator } = turn.options;
  // INVARIANT: an action goes on in the world it began in, ahead of the verdict or behind it.
  const speculation = run.scope === "rail" ? undefined : turn.speculation;
  return {
    ...(speculation === undefined ? {} : { lookup: lookupOf(speculation, run) }),
    writeText: openTeller({ run, open: (updates) => openAnswerReview(services, run, updates), unlimited }),
    atEnd: (end) => turn.atEnd(end),
    llmParams: turn.options.llmParams,
    filterChunks: async (context) => {
      if (run.scope === "rail" || typeof context["relevant_chunks"] !== "string") return { context, blocked: false };
      const past = (): readonly GuardrailsEvent[] => [...run.past(), ...historyEvents(run.events)];
      const { config, cancellation } = run;
      // Rails may do anything, and ahead of the verdict nothing is done.
      if (run.isAhead === true && selectRails(services, turn.options, "retrieval").length > 0) {
        return untilAborted(new Promise<never>(() => undefined), cancellation.signal);
      }
      const request = { turn, stage: "retrieval", context, config, cancellation, past } as const;
      const { blocked, refusal, contextUpdates } = await runRailsOfStage(services, request);
      return { context: { ...context, ...contextUpdates }, blocked, ...(refusal === undefined ? {} : { refusal }) };
    },
    // A rail never answers with the guarded chain: what it says is its own.
    generator:
      generator === undefined || run.scope === "rail"
        ? undefined
        : async (request) => {
            turn.countModelCall();
            const review = openAnswerReview(services, run);
            turn.answerReview = review;
            const asked = {
              ...request,
              userMessages: [...(run.heard?.() ?? turn.readTexts)],
              ...(review === undefined ? {} : { review }),
            };
            const answer = await (speculation?.answer(generator, asked) ?? generator(asked));
            turn.answered(answer, services.config.settings.rails.output.apply_to_reasoning_traces);
            return answer;
          },
  };
}

function lookupOf(speculation: Answering, { cancellation }: Colang2Run): NonNullable<GenerationCall["lookup"]> {
  return (key, search) => speculation.lookup(key, cancellation.signal, search);
}

/**
 * The review of the answer that is about to be made in a turn that streams. Undefined when it has to be seen as a whole: the
 * plan or a rail wants that, a flow of the configuration may still change it, or the bot has spoken in this turn already.
 *
 * @param updates - variables that change with the answer
 */
export function openAnswerReview(
  services: Colang2Services,
  run: Colang2Run,
  updates: Readonly<Record<string, unknown>> = {},
): ReviewSession | undefined {
  const plan = run.turn.options.stream;
  if (plan === undefined || utterancesOf(run.events).length > 0) return undefined;
  const request = {
    turn: run.turn,
    stage: "output",
    context: { ...run.engine.globals, ...updates },
    config: run.config,
    cancellation: run.cancellation,
    past: () => [...run.past(), ...historyEvents(run.events)],
  } as const;
  return ReviewSession.open(services, request, plan);
}
