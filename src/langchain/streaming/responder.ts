import type { RunnableConfig } from "@langchain/core/runnables";
import type { Responder } from "../../runtime/answer-request.js";
import type { Answer } from "../values/answer.js";
import type { StreamedAnswer } from "./streamed-answer.js";
import type { Upstream } from "./upstream.js";

/** A stream of the answer to a turn. */
export interface StreamedTurn {
  readonly answer: StreamedAnswer;
  /** Opens the stream of the wrapped runnable. */
  readonly open: (texts: readonly string[], config: RunnableConfig) => Promise<Upstream>;
}

/** Requests whole answers, or streamed ones if the rails review them in parts. */
export function responderOver(
  ask: (texts: readonly string[], config: RunnableConfig) => Promise<Answer>,
  streamed: StreamedTurn | undefined,
): Responder<Answer> {
  if (streamed === undefined) return { ask };
  const { answer, open } = streamed;
  return {
    open,
    ask: (texts, config, review, opened) => {
      if (review === undefined) return ask(texts, config);
      return answer.ask(() => (opened as Promise<Upstream> | undefined) ?? open(texts, config), review);
    },
  };
}
