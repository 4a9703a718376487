import { AIMessageChunk } from "@langchain/core/messages";
import type { GuardrailsMetadata } from "../../turn/decision.js";
import type { TellWords } from "../../turn/options.js";
import type { StreamPlan } from "../../turn/stream-plan.js";
import { readAnswer } from "../values/answer.js";
import type { Host } from "../host.js";
import { spokenMessage } from "../models/chat-generation.js";
import { messageForm } from "./message-form.js";
import type { Outlet } from "./outlet.js";
import { SaidTexts } from "./said-texts.js";
import { planOf, stallMsOf } from "./stream-settings.js";
import { replacing, StreamedAnswer } from "./streamed-answer.js";
import { Upstream } from "./upstream.js";

/** How the words of a turn leave while they are made. */
export interface ToldTurn {
  /** Words that a model writes. */
  readonly streamed: StreamedAnswer;
  /** Texts that flows say. */
  readonly said: SaidTexts;
  /** What the turn is given for it. */
  readonly options: { readonly stream: StreamPlan; readonly tell: TellWords; readonly say: SaidTexts["say"] };
}

export function toldTurn(host: Host, outlet: Outlet, streamed: StreamedAnswer): ToldTurn {
  const said = new SaidTexts(outlet);
  return { streamed, said, options: { stream: planOf(host), tell: tellThrough(streamed), say: said.say } };
}

/** The stream of a turn in which the configuration's own prompts speak. */
export function streamOfWords(host: Host, outlet: Outlet): StreamedAnswer {
  return new StreamedAnswer({
    plan: planOf(host),
    outlet,
    // What these models think is in the raw output of `generate` only.
    formOf: (_chunk, { guarded }) => messageForm({ guarded, readsThoughts: false, mayAskForTools: false }),
    read: (whole) => readAnswer(whole),
    stallMs: stallMsOf(host),
  });
}

/** Message of a refusal that no answer was made for; in a stream its verdict says if it replaces what has left. */
export function refusalMessage(
  told: ToldTurn | undefined,
  refusal: string,
  verdict: GuardrailsMetadata,
): ReturnType<typeof spokenMessage> {
  if (told === undefined) return spokenMessage(refusal, verdict);
  const replaces = told.streamed.hasLeft || told.said.isReplacedBy(refusal);
  return spokenMessage(told.said.restOf(refusal), replaces ? replacing(verdict) : verdict);
}

/** Sends words through a stream, window by window as a wrapped model's. */
function tellThrough(streamed: StreamedAnswer): TellWords {
  return async (words, review) => {
    const chunks: AsyncIterator<AIMessageChunk> = {
      next: async () => {
        const next = await words.next();
        return next.done === true ? next : { done: false, value: new AIMessageChunk({ content: next.value }) };
      },
      return: async () => {
        await words.return?.();
        return { done: true, value: undefined };
      },
    };
    const { text } = await streamed.ask(async () => new Upstream(chunks), review);
    return text;
  };
}
