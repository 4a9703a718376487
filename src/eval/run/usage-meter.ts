import type { CallbackHandlerMethods } from "@langchain/core/callbacks/base";
import type { UsageMetadata } from "@langchain/core/messages";
import type { LLMResult } from "@langchain/core/outputs";

/** Adds up the tokens of all model calls below the run whose callbacks it is given to. */
export interface UsageMeter {
  readonly handler: CallbackHandlerMethods & { readonly name: string; readonly awaitHandlers: true };
  /** Undefined while no call has told. */
  usage(): UsageMetadata | undefined;
}

/** A meter for one run. */
export function createUsageMeter(): UsageMeter {
  let total: UsageMetadata | undefined;
  return {
    usage: () => total,
    handler: {
      name: "evaluation usage",
      // INVARIANT: the run ends after its handlers, so that nothing is counted too late.
      awaitHandlers: true,
      handleLLMEnd: (output: LLMResult) => {
        for (const generation of output.generations.flat()) total = addUsage(total, usageOf(generation));
      },
    },
  };
}

/** The sum of two usages, either of which may be unknown. */
export function addUsage(a: UsageMetadata | undefined, b: UsageMetadata | undefined): UsageMetadata | undefined {
  if (a === undefined || b === undefined) return a ?? b;
  return {
    input_tokens: a.input_tokens + b.input_tokens,
    output_tokens: a.output_tokens + b.output_tokens,
    total_tokens: a.total_tokens + b.total_tokens,
  };
}

function usageOf(generation: object): UsageMetadata | undefined {
  return (generation as { message?: { usage_metadata?: UsageMetadata } }).message?.usage_metadata;
}
