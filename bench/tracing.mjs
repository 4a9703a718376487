// A tracing handler, and plain LangChain runs to compare its cost with.
import { BaseCallbackHandler } from "@langchain/core/callbacks/base";
import { RunnableLambda } from "@langchain/core/runnables";
import { BaseTracer } from "@langchain/core/tracers/base";
import { InstantChatModel } from "./instant-model.mjs";

/** Builds run trees as tracers do, and stores none. */
export class RunTracer extends BaseTracer {
  name = "bench_tracer";

  persistRun() {
    return Promise.resolve();
  }
}

/** Counts the runs that a call opens. */
export class RunCounter extends BaseCallbackHandler {
  name = "bench_counter";
  awaitHandlers = true;
  models = 0;
  steps = 0;

  handleChatModelStart() {
    this.models += 1;
  }

  handleChainStart() {
    this.steps += 1;
  }

  handleToolStart() {
    this.steps += 1;
  }
}

/** One step whose run holds the others: as many steps and model calls as were counted. */
export function plainRuns({ models, steps }) {
  const inner = [
    ...Array.from({ length: Math.max(0, steps - 1) }, () => RunnableLambda.from((value) => value)),
    ...Array.from({ length: steps === 0 ? models - 1 : models }, () => new InstantChatModel()),
  ];
  return RunnableLambda.from(async (value, config) => {
    let last;
    for (const runnable of inner) last = await runnable.invoke(value, config);
    return last;
  });
}
