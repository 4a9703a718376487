import type { ActionContext, ActionDefinition, ActionResult } from "../../../actions/action.js";
import { actionResult } from "../../../actions/dispatcher.js";
import { defineAction } from "../../../actions/define-action.js";
import { retrieveRelevantChunks, type RetrievedChunks, SOURCES_VARIABLE } from "../../../generation/retrieve-chunks.js";
import { addFlows, createFlow, removeFlows } from "./added-flows.js";
import { generateFlow } from "./docstring-flow.js";
import { generateFlowContinuation, generateFlowFromInstructions, generateFlowFromName } from "./generated-flows.js";
import { type Colang2Generation, colang2Step, type Colang2Step, userTextOf, type Colang2Call } from "./services.js";
import { generateUserIntent, generateUserIntentAndBotAction } from "./user-intent.js";
import { generateValue } from "./value.js";
import { modelForTask } from "../../../llm/model.js";
import { askModelDirectly, askGenerator } from "../../../generation/passthrough.js";

type Params = Readonly<Record<string, unknown>>;

interface Described {
  readonly parameters: readonly string[];
  readonly run: (params: Params, step: Colang2Step) => unknown;
  /** False for an action that competes with no other. */
  readonly conflicts?: false;
}

const DEFAULT_EXAMPLES = 5;

/** The actions of the standard library module `llm`, and those of `attention`, by name. */
const ACTIONS: Readonly<Record<string, Described>> = {
  GenerateUserIntentAction: {
    parameters: ["user_action", "max_example_flows"],
    run: (params, step) => generateUserIntent(intentInput(params), step),
  },
  GenerateUserIntentAndBotAction: {
    parameters: ["user_action", "max_example_flows"],
    run: (params, step) => generateUserIntentAndBotAction(intentInput(params), step),
  },
  GenerateFlowContinuationAction: {
    parameters: ["temperature"],
    run: ({ temperature }, step) => generateFlowContinuation(numberOr(temperature, 0), step),
  },
  GenerateFlowFromNameAction: {
    parameters: ["name"],
    run: ({ name }, step) => generateFlowFromName(textOf(name, "name"), step),
  },
  GenerateFlowFromInstructionsAction: {
    parameters: ["instructions"],
    run: ({ instructions }, step) => generateFlowFromInstructions(textOf(instructions, "instructions"), step),
  },
  GenerateValueAction: {
    parameters: ["instructions", "var_name"],
    run: ({ instructions, var_name: variable }, step) =>
      generateValue(
        textOf(instructions, "instructions"),
        typeof variable === "string" && variable !== "" ? variable : "value",
        step,
      ),
  },
  GenerateFlowAction: {
    parameters: ["flow_id"],
    run: ({ flow_id: flowId }, step) => {
      // Id of the request that runs the action.
      const uid = step.events.at(-1)?.["action_uid"];
      return generateFlow(textOf(flowId, "flow_id"), typeof uid === "string" ? uid : undefined, step);
    },
  },
  PassthroughLLMAction: {
    parameters: ["user_message"],
    run: ({ user_message: message }, step) => passThrough(message, step),
  },
  CreateFlowAction: {
    parameters: ["name", "body", "decorators"],
    run: ({ name, body, decorators }, step) => {
      const given = typeof decorators === "string" ? decorators : "";
      return createFlow(textOf(name, "name"), textOf(body, "body"), given, step);
    },
  },
  RetrieveRelevantChunksAction: {
    parameters: ["is_colang_2"],
    run: async (_, step) => {
      const text = userTextOf(step) ?? "";
      const retrieved = await retrieveRelevantChunks(
        { events: [{ type: "UserMessage", text }], context: step.globals },
        step,
      );
      const { text: shown, contextUpdates } = await reviewChunks(retrieved, step);
      return actionResult({ returnValue: shown, contextUpdates });
    },
  },
  UpdateAttentionMaterialAction: { parameters: ["begins", "level"], run: updateAttention },
  GetAttentionPercentageAction: {
    parameters: ["attention_levels"],
    run: ({ attention_levels: levels }, step) => attentionShare(levels, step),
  },
  GetLastUserMessageAction: { parameters: [], run: (_, step) => userTextOf(step) ?? null },
  CheckFlowDefinedAction: { parameters: ["flow_id"], run: isDefined, conflicts: false },
  CheckValidFlowExistsAction: { parameters: ["flow_id"], run: isDefined },
  CheckForActiveEventMatchAction: {
    parameters: ["event_name"],
    run: ({ event_name: name, ...given }, { access }) => access.awaitsEvent(textOf(name, "event_name"), given),
  },
  AddFlowsAction: { parameters: ["config"], run: ({ config }, step) => addFlows(textOf(config, "config"), step) },
  RemoveFlowsAction: {
    parameters: ["flow_ids"],
    run: ({ flow_ids: ids }, step) => {
      removeFlows(ids, step);
      return null;
    },
  },
};

/** Names of these actions, which flows may run. */
export const COLANG2_ACTIONS: readonly string[] = Object.keys(ACTIONS);

/**
 * Actions by which Colang 2.x calls models and changes its own program. They never replace actions of the user. Each
 * finds its conversation among the services of its context, as `COLANG2_SERVICE`.
 *
 * @example
 * ```ts
 * const generation = createColang2Generation({ settings, program, createIndex, clock });
 * for (const action of createColang2Actions(generation)) builder.register(action, undefined, { override: false });
 * ```
 */
export function createColang2Actions(generation: Colang2Generation): readonly ActionDefinition[] {
  return Object.entries(ACTIONS).map(([name, { parameters, run, conflicts = true }]) =>
    defineAction(
      { name, system: true, executeAsync: true, parameters, conflicts },
      (params: Params, context: ActionContext) => run(params, colang2Step(generation, context, name)),
    ),
  );
}

function intentInput({ user_action: action, max_example_flows: count }: Params): {
  readonly userAction: string | undefined;
  readonly maxExamples: number;
} {
  const userAction = typeof action === "string" && action !== "" ? action : undefined;
  return { userAction, maxExamples: numberOr(count, DEFAULT_EXAMPLES) };
}

function isDefined({ flow_id: id }: Params, { access }: Colang2Step): boolean {
  return typeof id === "string" && access.definitions.has(id);
}

function numberOr(value: unknown, other: number): number {
  return typeof value === "number" && Number.isFinite(value) ? value : other;
}

function textOf(value: unknown, parameter: string): string {
  if (typeof value === "string" && value.trim() !== "") return value;
  throw new TypeError(`expected the parameter \`${parameter}\` to be a text`);
}

/** Answers the given text, otherwise the last utterance after the input rails, without a built-in prompt. */
async function passThrough(message: unknown, step: Colang2Step): Promise<ActionResult> {
  step.signal.throwIfAborted();
  const text = typeof message === "string" && message !== "" ? message : (userTextOf(step) ?? "");
  const { call, access, globals: context } = step;
  const rewritten = text !== access.lastTranscript;
  const response =
    call.generator === undefined
      ? await askModelDirectly(text, step, modelForTask(step.models, "passthrough"))
      : await askGenerator(call.generator, { userMessage: text, rewritten, context }, step);
  return actionResult({ returnValue: response.text, contextUpdates: response.contextUpdates });
}

const CHUNKS = ["relevant_chunks", "relevant_chunks_sep", SOURCES_VARIABLE, "retrieved_for"] as const;

/** Runs the retrieval rails over chunks. INVARIANT: no prompt shows a chunk that they did not pass. */
async function reviewChunks(retrieved: RetrievedChunks, step: Colang2Step): Promise<RetrievedChunks> {
  const { filterChunks: filter } = step.call as Partial<Colang2Call>;
  if (filter === undefined) return retrieved;
  const { context, blocked } = await filter({
    ...step.globals,
    relevant_chunks: retrieved.text,
    ...retrieved.contextUpdates,
  });
  if (blocked) {
    return {
      text: "",
      contextUpdates: {
        ...retrieved.contextUpdates,
        relevant_chunks: "",
        relevant_chunks_sep: [],
        [SOURCES_VARIABLE]: [],
      },
    };
  }
  const text = context["relevant_chunks"];
  const kept = CHUNKS.filter((name) => Object.hasOwn(context, name)).map((name) => [name, context[name]] as const);
  return { text: typeof text === "string" ? text : "", contextUpdates: Object.fromEntries(kept) };
}

/** Global variable with the observed attention of a user; part of the conversation like all global variables. */
const MATERIAL = "attention_material";

/** Time the user spent on each level since the utterance began. */
interface Material {
  readonly at: number;
  readonly level: string | null;
  readonly durations: Readonly<Record<string, number>>;
}

/** Key for the time without a level. */
const NONE = "";

/** Records the start of an utterance, from which on time counts, or a new level of attention. */
function updateAttention(
  { begins, level }: { readonly begins?: unknown; readonly level?: unknown },
  step: Colang2Step,
): ActionResult {
  const known = current(step);
  const noted: Material =
    begins === true
      ? { at: step.clock.now(), level: known?.level ?? null, durations: {} }
      : { ...(known ?? { at: step.clock.now(), durations: {} }), level: typeof level === "string" ? level : null };
  return actionResult({ contextUpdates: { [MATERIAL]: noted } });
}

/**
 * Share of the time since the utterance began in which the user had one of the levels; for an utterance of no duration,
 * 1 if the user has one of them.
 *
 * @returns null if nothing is known about the attention
 */
function attentionShare(levels: unknown, step: Colang2Step): number | null {
  const known = current(step);
  if (known === undefined) return null;
  const wanted = new Set<unknown>(Array.isArray(levels) ? levels : []);
  const all = Object.entries(known.durations);
  const total = all.reduce((sum, [, duration]) => sum + duration, 0);
  if (total <= 0) return known.level !== null && wanted.has(known.level) ? 1 : 0;
  return all.reduce((sum, [level, duration]) => sum + (wanted.has(level) ? duration : 0), 0) / total;
}

/** Returns the known attention, including the time up to now. */
function current({ globals, clock }: Colang2Step): Material | undefined {
  const stored = Object.hasOwn(globals, MATERIAL) ? globals[MATERIAL] : undefined;
  if (!isMaterial(stored)) return undefined;
  const now = clock.now();
  const key = stored.level ?? NONE;
  const before = Object.hasOwn(stored.durations, key) ? (stored.durations[key] ?? 0) : 0;
  const durations = { ...stored.durations, [key]: before + Math.max(0, now - stored.at) };
  return { at: now, level: stored.level, durations };
}

function isMaterial(value: unknown): value is Material {
  if (typeof value !== "object" || value === null) return false;
  const { at, level, durations } = value as Partial<Material>;
  return (
    typeof at === "number" &&
    (level === null || typeof level === "string") &&
    typeof durations === "object" &&
    durations !== null &&
    Object.values(durations).every((duration) => typeof duration === "number")
  );
}
