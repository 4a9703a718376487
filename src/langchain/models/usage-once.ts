import { BaseCallbackHandler } from "@langchain/core/callbacks/base";
import type { CallbackManagerForLLMRun } from "@langchain/core/callbacks/manager";
import type { LLMResult } from "@langchain/core/outputs";
import type { RawTokens } from "../callbacks.js";
import { cloneMessage } from "./clone-message.js";
import { isMessage, isObject } from "../values/message-kinds.js";
import { quietHandler } from "../isolation/quarantine.js";

const PASSED_ON = ["handleLLMError", "handleLLMNewToken", "handleChatModelStreamEvent", "handleText"] as const;

/**
 * The run of a guarded model and that of the inner model end with the same cost. Handlers that see both receive
 * it by the inner run only, so that sums count it once; those that see only the guarded run keep it.
 */
export function countUsageOnce(run: CallbackManagerForLLMRun, rawTokens: RawTokens): void {
  const { inheritableHandlers } = run as unknown as { inheritableHandlers: readonly BaseCallbackHandler[] };
  const seesBoth = (handler: BaseCallbackHandler): boolean =>
    inheritableHandlers.includes(handler) && (rawTokens === "allow" || quietHandler(handler) !== undefined);
  if (!run.handlers.some(seesBoth)) return;
  // INVARIANT: the list is replaced and not written to, since the manager of the whole call holds it too.
  const handlers = run.handlers.map((handler) => (seesBoth(handler) ? new CostlessHandler(handler) : handler));
  Object.assign(run, { handlers });
}

/** Hands the end of a run on without its usage. */
class CostlessHandler extends BaseCallbackHandler {
  readonly name: string;
  readonly #handler: BaseCallbackHandler;

  constructor(handler: BaseCallbackHandler) {
    super({ ignoreLLM: handler.ignoreLLM, raiseError: handler.raiseError, _awaitHandler: handler.awaitHandlers });
    this.name = handler.name;
    this.#handler = handler;
    for (const method of PASSED_ON) {
      const original: unknown = handler[method];
      if (typeof original === "function") Object.assign(this, { [method]: original.bind(handler) as unknown });
    }
  }

  override handleLLMEnd(output: LLMResult, ...rest: [string, string?, string[]?, Record<string, unknown>?]): unknown {
    return this.#handler.handleLLMEnd?.(withoutUsage(output), ...rest);
  }
}

function withoutUsage({ llmOutput, generations, ...rest }: LLMResult): LLMResult {
  const { tokenUsage: _tokens, estimatedTokenUsage: _estimate, ...kept } = llmOutput ?? {};
  return {
    ...rest,
    ...(Object.keys(kept).length === 0 ? {} : { llmOutput: kept }),
    generations: generations.map((list) =>
      list.map((generation) => {
        const message: unknown = isObject(generation) ? (generation as { message?: unknown }).message : undefined;
        if (!isMessage(message)) return generation;
        return Object.assign(
          Object.create(Object.getPrototypeOf(generation) as object) as typeof generation,
          generation,
          {
            message: cloneMessage(message, { usage_metadata: undefined }),
          },
        );
      }),
    ),
  };
}
