import { PIPELINE_SOURCES } from "./assets.js";
import type { GenerationCall } from "../generation/services.js";
import type { DialogIndex, DialogIndexes } from "../generation/indexes.js";
import type { Run } from "./run.js";
import type { RuntimeServices } from "./services.js";
import type { Answering } from "./speculation/speculation.js";
import { openAnswerReview } from "./streaming/open-review.js";

/** Values registered by name, and under `call` what the generation actions need of this very call. */
export function callServices(services: RuntimeServices, run: Run): Readonly<Record<string, unknown>> {
  let call: GenerationCall | undefined;
  return {
    ...services.actionParams,
    // Only the actions of the pipeline ask for it.
    get call() {
      return (call ??= generationCall(services, run));
    },
  };
}

function generationCall(services: RuntimeServices, run: Run): GenerationCall {
  const { turn } = run;
  const { generator } = turn.options;
  const { speculation } = turn;
  return {
    llmParams: turn.options.llmParams,
    merged: run.scope === "rail" ? undefined : turn.merged,
    ...(speculation === undefined || run.scope === "rail"
      ? {}
      : { indexes: speculatedIndexes(services.generation.indexes, speculation, run.cancellation.signal) }),
    get ownRetrieval() {
      return hasOwnRetrieval(services);
    },
    warn: (warning: { readonly code: string; readonly message: string }) => {
      turn.trace.push({ type: "warning", code: warning.code, message: warning.message });
    },
    // A rail never answers with the guarded chain: what it says is its own.
    generator:
      generator === undefined || run.scope === "rail"
        ? undefined
        : async (request: Parameters<typeof generator>[0]) => {
            turn.countModelCall();
            turn.answerReview = openAnswerReview(services, run);
            const asked = {
              ...request,
              userMessages: [...turn.userTexts],
              ...(turn.answerReview === undefined ? {} : { review: turn.answerReview }),
            };
            const answer = await (speculation?.answer(generator, asked) ?? generator(asked));
            turn.generated = answer;
            return answer;
          },
  };
}

function speculatedIndexes(indexes: DialogIndexes, speculation: Answering, signal: AbortSignal): DialogIndexes {
  const speculated = (index: DialogIndex): DialogIndex => ({
    ...index,
    search: (...query) => speculation.lookup(["search", index, query], signal, () => index.search(...query)),
  });
  return {
    exactIntent: (text) => indexes.exactIntent(text),
    userExamples: speculated(indexes.userExamples),
    userIntents: speculated(indexes.userIntents),
    botMessages: speculated(indexes.botMessages),
    flows: speculated(indexes.flows),
  };
}

/** Flows and the action through which chunks pass before a prompt shows them; each of them can be replaced. */
const CHUNK_FLOWS = ["generate bot message", "run retrieval rails"];
const OUR_FILES: ReadonlySet<string> = new Set(PIPELINE_SOURCES.map(({ name }) => name));

function hasOwnRetrieval({ registry, flows }: RuntimeServices): boolean {
  const action = registry.resolve("retrieve_relevant_chunks");
  if (action.found && !action.definition.system) return true;
  return CHUNK_FLOWS.some((id) => !OUR_FILES.has(flows.get(id)?.location.file ?? ""));
}
