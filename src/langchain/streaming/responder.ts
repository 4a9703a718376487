import type { RunnableConfig } from "@langchain/core/runnables";
import type { Responder } from "../../runtime/answer-request.js";
import type { Answer } from "../values/answer.js";
import type { StreamedAnswer } from "./streamed-answer.js";
import type { Upstream } from "./upstream.js";

/** Asks for whole answers, and for streamed ones where the rails review them part by part. */
export function responderOver(
  ask: (texts: readonly string[], config: RunnableConfig) => Promise<Answer>,
  open: (texts: readonly string[], config: RunnableConfig) => Promise<Upstream>,
  streamed: StreamedAnswer | undefined,
): Responder<Answer> {
  if (streamed === undefined) return { ask };
  return {
    open,
    ask: (texts, config, review, opened) => {
      if (review === undefined) return ask(texts, config);
      return streamed.ask(() => (opened as Promise<Upstream> | undefined) ?? open(texts, config), review);
    },
  };
}
