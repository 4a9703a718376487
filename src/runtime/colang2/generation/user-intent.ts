import { ActionError } from "../../../diagnostics/errors.js";
import { modelForTask } from "../../../llm/model.js";
import { linesOf } from "../../../llm/parsers/completion-text.js";
import {
  type DialogHit,
  intentByModel,
  intentByExamples,
  exactIntent,
  nearestKnownIntent,
  type UserIntent,
} from "../../../generation/indexes.js";
import { bareText } from "../../../llm/parsers/labels.js";
import { cleanCompletion, looksLikeStatement, readLabels } from "./completion.js";
import { flowNameOf } from "./flow-name.js";
import { hasTag, isUserIntent } from "./indexes.js";
import { quoted, oneLine } from "../../../llm/prompts/interaction-history.js";
import { type Colang2Step, runColang2Task, userTextOf } from "./services.js";
import { botActionOf } from "./written-body.js";

/** Intent of an utterance that neither examples nor a model can classify. */
const UNCLEAR = "user was unclear";

const INTENT_TASK = "generate_user_intent_from_user_action";
const BOTH_TASK = "generate_user_intent_and_bot_action_from_user_action";
const MAX_EXAMPLES = 100;
const NO_BOT_INTENT = "bot answer user";

export interface UserIntentInput {
  /** The user's action after the input rails. Default: the last utterance. */
  readonly userAction: string | undefined;
  readonly maxExamples: number;
}

/**
 * Finds the user's intent as the name of a flow. An exact example of one intent has that intent; otherwise the nearest
 * examples decide, or a model that is shown them and the awaited flows.
 *
 * @throws ModelError if the model call fails
 */
export async function generateUserIntent(input: UserIntentInput, step: Colang2Step): Promise<string> {
  return (await findUserIntent(input, step)).intent;
}

/** Finds the intent together with its source and its alternatives. */
export async function findUserIntent(input: UserIntentInput, step: Colang2Step): Promise<UserIntent> {
  const text = subjectOf(input, step);
  const indexes = step.indexes.of(step.access);
  const exact = indexes.exactIntent(text);
  if (exact !== undefined) return exactIntent(exact);
  const unknown = modelForTask(step.models, INTENT_TASK) === undefined ? UNCLEAR : undefined;
  const near = await intentByExamples(text, indexes.utterances, step.settings.rails.dialog.user_messages, unknown);
  if (near !== undefined) return near;
  const hits = await indexes.utterances.search(text, exampleCount(input));
  const completion = await askIntent(INTENT_TASK, text, hits, step);
  return intentByModel(await nearestKnown(readUserIntent(completion, step), step), hits);
}

/**
 * Finds the user's intent and the bot's action, as statements of the language, with one model call.
 *
 * @throws ActionError if the completion has no usable action, ModelError if the model call fails
 */
export async function generateUserIntentAndBotAction(input: UserIntentInput, step: Colang2Step) {
  const text = subjectOf(input, step);
  const hits = await step.indexes.of(step.access).utterances.search(text, exampleCount(input));
  const completion = await askIntent(BOTH_TASK, text, hits, step);
  const labels = readLabels(completion);
  const action = labels.get("bot action");
  const body = action === undefined || action === "" ? undefined : botActionOf(action, step);
  if (body === undefined) {
    throw new ActionError("expected a bot action in the completion", { action: "GenerateUserIntentAndBotAction" });
  }
  return {
    user_intent: (await nearestKnown(userIntentOf(labels.get("user intent") ?? "", step) ?? UNCLEAR, step)).intent,
    bot_intent: botIntentOf(labels.get("bot intent") ?? "", step),
    bot_action: body.join("\n"),
  };
}

function subjectOf({ userAction }: UserIntentInput, step: Colang2Step): string {
  const text = userAction ?? userTextOf(step);
  if (text !== undefined) return text;
  throw new ActionError("expected an utterance of the user", { action: "GenerateUserIntentAction" });
}

function exampleCount({ maxExamples }: UserIntentInput): number {
  return Math.max(0, Math.min(MAX_EXAMPLES, Math.trunc(maxExamples)));
}

async function askIntent(task: string, text: string, hits: readonly DialogHit[], step: Colang2Step): Promise<string> {
  const variables = { ...candidateIntents(hits, step), user_action: `user said ${quoted(text)}` };
  return (await runColang2Task(step, task, variables)).text;
}

/**
 * Reads the intent from the first line of a completion, with or without a label.
 *
 * @example
 * ```ts
 * readUserIntent("User intent: asked for help", step); // "user asked for help"
 * readUserIntent("Sure! Here is the intent:", step); // "user was unclear"
 * ```
 */
function readUserIntent(completion: string, step: Pick<Colang2Step, "access">): string {
  const text = cleanCompletion(completion);
  const labelled = readLabels(text).get("user intent");
  const line = linesOf(text).find((candidate) => candidate.trim() !== "") ?? "";
  const written = labelled ?? (line.includes(":") ? "" : line);
  return userIntentOf(written, step) ?? UNCLEAR;
}

/**
 * INVARIANT: the name is that of a user intent or of no flow at all, since flows finish the flow of this name: a
 * completion must not end a flow that guards.
 */
function userIntentOf(written: string, { access }: Pick<Colang2Step, "access">): string | undefined {
  if (looksLikeStatement(written)) return undefined;
  const cut = beforeQuote(bareText(written));
  const name = flowNameOf(cut);
  if (name === undefined || name.startsWith("bot ") || /^_?user$/.test(name)) return undefined;
  const intent = name.startsWith("user ") ? name : `user ${name}`;
  const flow = access.definitions.get(intent);
  return flow === undefined || isUserIntent(flow) ? intent : undefined;
}

/** Name of the bot's intent; never a flow with a required parameter, such as `bot say`. */
export function botIntentOf(written: string, { access }: Pick<Colang2Step, "access">): string {
  const name = flowNameOf(beforeQuote(bareText(written)));
  if (name === undefined || name === "bot" || name.startsWith("user ")) return NO_BOT_INTENT;
  const intent = name.startsWith("bot ") ? name : `bot ${name}`;
  const flow = access.definitions.get(intent);
  const isWayOfActing = flow !== undefined && (flow.parameters.length > 0 || hasTag(flow, "bot_action"));
  return isWayOfActing ? NO_BOT_INTENT : intent;
}

function beforeQuote(text: string): string {
  const at = text.indexOf('"');
  return at === -1 ? text : text.slice(0, at);
}

function nearestKnown(intent: string, step: Colang2Step): Promise<Pick<UserIntent, "intent" | "score">> {
  const { access, settings, indexes } = step;
  const isKnown = (): boolean =>
    intent === UNCLEAR || access.definitions.has(intent) || access.awaitedFlows().some(({ id }) => id === intent);
  return nearestKnownIntent(intent, indexes.of(access).intents, settings.rails.dialog.user_messages, isKnown);
}

const MAX_DESCRIPTION = 500;

const MAX_AWAITED = 50;

/**
 * Collects candidate intents of an utterance: those of similar utterances and every intent that a flow currently waits
 * for, with its docstring if it has one. The examples are user actions with their intents, most similar last.
 */
function candidateIntents(hits: readonly DialogHit[], step: Colang2Step) {
  const awaited = awaitedIntents(step);
  const pairs: string[] = [];
  for (const name of awaited) {
    const docstring = step.access.definitions.get(name)?.docstring?.trim() ?? "";
    if (docstring !== "") pairs.push(pair(oneLine(docstring).slice(0, MAX_DESCRIPTION), name));
  }
  const shown = hits.toReversed();
  for (const { item } of shown) pairs.push(pair(`user said ${quoted(item.text)}`, item.meta["intent"] ?? ""));
  const intents = new Set([...shown.map(({ item }) => item.meta["intent"] ?? ""), ...awaited]);
  return { examples: pairs.join("\n\n"), potential_user_intents: [...intents].join(", ") };
}

function pair(action: string, intent: string): string {
  return `user action: ${action}\nuser intent: ${intent}`;
}

/** User intents awaited by a waiting head; an undefined name counts if it is a user intent. */
function awaitedIntents({ access, globals }: Colang2Step): readonly string[] {
  const marked = globals["user_intent_uids"];
  const uids = new Set<unknown>(Array.isArray(marked) ? marked : []);
  const names = access.awaitedFlows().flatMap(({ id, uid, isMarked }) => {
    const flow = access.definitions.get(id);
    if (flow === undefined) return id.startsWith("user ") ? [id] : [];
    return isMarked || (uid !== undefined && uids.has(uid)) || isUserIntent(flow) ? [id] : [];
  });
  return [...new Set(names)].slice(0, MAX_AWAITED);
}
