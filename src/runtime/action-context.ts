import type { RunnableConfig } from "@langchain/core/runnables";
import type { ActionContext } from "../actions/action.js";
import { contextOf } from "../colang1/engine/state.js";
import type { GuardrailsEvent } from "../engine/events.js";
import type { DialogIndex, DialogIndexes } from "../generation/indexes.js";
import type { LanguageModel, ModelPiece, ModelSet } from "../llm/model.js";
import type { LlmCallRecord } from "../llm/record.js";
import type { LlmTasks, TaskScope } from "../llm/task.js";
import type { KnowledgeBase } from "../retrieval/knowledge-base.js";
import { PIPELINE_SOURCES } from "./assets.js";
import type { Run } from "./run.js";
import type { RuntimeServices } from "./services.js";
import type { Answering } from "./speculation/speculation.js";
import { openAnswerReview } from "./streaming/open-review.js";
import type { Turn } from "./turn.js";

/** The surroundings an action sees (spec rails 1.16); costly views are made only when they are read. */
export function actionContext(
  services: RuntimeServices,
  run: Run,
  { calls, signal }: { readonly calls: LlmCallRecord[]; readonly signal: AbortSignal },
): ActionContext {
  const models = modelsOf(services, run);
  // INVARIANT: everything an action may hand on carries the signal that also fires at the end of its time.
  const runnableConfig: RunnableConfig = { ...run.config, signal };
  let events: readonly GuardrailsEvent[] | undefined;
  return {
    get events() {
      return (events ??= run.past().concat(run.events));
    },
    context: contextOf(run.state),
    config: services.config.settings,
    tasks: tasksOf(services, run),
    models,
    llm: models.main?.native,
    get llms() {
      return nativeModels(services);
    },
    kb: knowledgeOf(services, run),
    state: run.state,
    signal,
    runnableConfig,
    scope: taskScope(run, runnableConfig, { calls, signal }),
    services: callServices(services, run),
    annotate: (details) => {
      if (run.rail) run.rail.notes.details = { ...run.rail.notes.details, ...details };
    },
  };
}

function taskScope(
  run: Run,
  config: RunnableConfig,
  { calls, signal }: { readonly calls: LlmCallRecord[]; readonly signal: AbortSignal },
): TaskScope {
  return {
    config,
    signal,
    record: (call) => {
      const record = run.rail ? { ...call, rail: run.rail.name } : call;
      calls.push(record);
      run.turn.llmCalls.push(record);
      run.rail?.notes.llmCalls.push(record);
    },
    beforeCall: () => run.turn.countModelCall(),
  };
}

/** The caller's model replaces only the main one; what the dialog's last call returned is kept when it is asked for. */
function modelsOf(services: RuntimeServices, run: Run): ModelSet {
  const { options, speculation } = run.turn;
  const given = options.main ?? services.models.main;
  // What a rail asks is no part of the answer.
  if (speculation !== undefined && run.scope === "conversation") {
    const wrap = (model: LanguageModel): LanguageModel => speculation.model(model);
    const byType = Object.entries(services.models.byType).map(([type, model]) => [type, wrap(model)] as const);
    const main = given && wrap(given);
    const kept = main !== undefined && options.llmOutput === true ? keepingOutput(main, run.turn) : main;
    return { main: kept, byType: Object.fromEntries(byType) };
  }
  const main = given;
  if (main !== undefined && options.llmOutput === true && run.scope === "conversation") {
    return { ...services.models, main: keepingOutput(main, run.turn) };
  }
  return options.main === undefined ? services.models : { ...services.models, main };
}

function keepingOutput(model: LanguageModel, turn: Turn): LanguageModel {
  return {
    engine: model.engine,
    name: model.name,
    family: model.family,
    native: model.native,
    generate: async (...request) => {
      const completion = await model.generate(...request);
      turn.llmOutput = completion.message ?? completion;
      return completion;
    },
    ...(model.stream === undefined ? {} : { stream: (...request) => keepingPieces(model, request, turn) }),
  };
}

/** Of a stream that is left, what came in until then. */
async function* keepingPieces(
  model: LanguageModel,
  request: Parameters<NonNullable<LanguageModel["stream"]>>,
  turn: Turn,
): AsyncGenerator<ModelPiece> {
  const [, , { signal }] = request;
  let text = "";
  for await (const piece of model.stream?.(...request) ?? []) {
    text += piece.text;
    // A piece that comes behind a cut must not take the place of a later call.
    if (signal?.aborted !== true) turn.llmOutput = piece.message ?? { ...piece, text };
    yield piece;
  }
}

/** System messages of the call go before the general instructions; what judges a text is not told by its author how. */
function tasksOf(services: RuntimeServices, run: Run): LlmTasks {
  const { tasks, config } = services;
  const { instructions } = run.turn;
  if (instructions.length === 0 || run.scope === "rail") return tasks;
  const general = config.settings.instructions
    .filter(({ type }) => type === "general")
    .map(({ content }) => content.trim());
  const variables = { general_instructions: [...instructions, ...general].join("\n") };
  return {
    ...tasks,
    render: (request) => tasks.render({ ...request, variables: { ...variables, ...request.variables } }),
    run: (request) => tasks.run({ ...request, variables: { ...variables, ...request.variables } }),
    start: (request, how) => tasks.start({ ...request, variables: { ...variables, ...request.variables } }, how),
  };
}

function nativeModels(services: RuntimeServices): Readonly<Record<string, unknown>> {
  const natives: Record<string, unknown> = Object.create(null) as Record<string, unknown>;
  for (const [type, model] of Object.entries(services.models.byType)) natives[type] = model.native;
  return natives;
}

/** Values registered by name, and under `call` what the generation actions need of this very call. */
function callServices(services: RuntimeServices, run: Run): Readonly<Record<string, unknown>> {
  const { turn } = run;
  const { generator } = turn.options;
  const { speculation } = turn;
  return {
    ...services.actionParams,
    call: {
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

/** A knowledge base that is asked ahead of the verdict, or answers with what it was asked then. */
function knowledgeOf({ kb }: RuntimeServices, { turn, scope, cancellation }: Run): unknown {
  const { speculation } = turn;
  if (speculation === undefined || scope === "rail" || !isKnowledgeBase(kb)) return kb;
  const search: KnowledgeBase["search"] = (query, maxResults, call) =>
    speculation.lookup(["knowledge", query, maxResults], call?.signal ?? cancellation.signal, (signal) =>
      kb.search(query, maxResults, { ...call, signal }),
    );
  return { search } satisfies KnowledgeBase;
}

function isKnowledgeBase(kb: unknown): kb is KnowledgeBase {
  return typeof kb === "object" && kb !== null && typeof (kb as { search?: unknown }).search === "function";
}

/** Flows and the action through which chunks pass before a prompt shows them; each of them can be replaced. */
const CHUNK_FLOWS = ["generate bot message", "run retrieval rails"];
const OUR_FILES: ReadonlySet<string> = new Set(PIPELINE_SOURCES.map(({ name }) => name));

function hasOwnRetrieval({ registry, flows }: RuntimeServices): boolean {
  const action = registry.resolve("retrieve_relevant_chunks");
  if (action.found && !action.definition.system) return true;
  return CHUNK_FLOWS.some((id) => !OUR_FILES.has(flows.get(id)?.location.file ?? ""));
}
