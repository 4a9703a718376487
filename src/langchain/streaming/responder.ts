import type { RunnableConfig } from "@langchain/core/runnables";
import type { Responder } from "../../runtime/responder.js";
import type { BotResponse } from "../values/response.js";
import type { StreamedResponse } from "./streamed-response.js";
import type { Upstream } from "./upstream.js";

/** A stream of the response to a turn. */
export interface StreamedTurn {
  readonly response: StreamedResponse;
  /** Opens the stream of the wrapped runnable. */
  readonly open: (texts: readonly string[], config: RunnableConfig) => Promise<Upstream>;
}

/** Requests whole responses, or streamed ones if the rails review them in parts. */
export function responderOver(
  ask: (texts: readonly string[], config: RunnableConfig) => Promise<BotResponse>,
  streamed: StreamedTurn | undefined,
): Responder<BotResponse> {
  if (streamed === undefined) return { ask };
  const { response, open } = streamed;
  return {
    open,
    ask: (texts, config, review, opened) => {
      if (review === undefined) return ask(texts, config);
      return response.ask(() => (opened as Promise<Upstream> | undefined) ?? open(texts, config), review);
    },
  };
}
