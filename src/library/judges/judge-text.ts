import type { ActionContext, VerdictDetails } from "../../actions/action.js";
import { IMAGE_SLOT } from "../../actions/image-slot.js";
import { fixDetails } from "../../actions/fixed-details.js";
import { ActionError } from "../../diagnostics/errors.js";
import { modelOfType } from "../../llm/model.js";
import { isPromise } from "../../engine/async.js";
import { readOwn } from "../../engine/plain-data.js";
import { FIRST_STAGES_SERVICE } from "../rail-code.js";
import type { FirstStage, FirstStages } from "./first-stage.js";
import { MODERATION_QUESTION } from "./judge-reply.js";
import { type Check, noModel, runCheck } from "./run-check.js";

/** A check by a model, with the task of its action. */
export interface RailCheck extends Pick<Check<string>, "task" | "modelType" | "text" | "variables"> {
  /** Name of another task whose prompt replaces the default one. */
  readonly variant: unknown;
  /** Verdict on one part that decides about the whole text; default: `block`. */
  readonly decidedBy?: "allow" | "block";
}

/** Verdict as flows read it. */
export interface RailVerdict {
  readonly allowed: boolean;
  readonly policy_violations: readonly string[];
}

const EMPTY_TEXT: RailVerdict = { allowed: true, policy_violations: [] };

/**
 * Asks a model if a text should be blocked, and adds the reason to the decision. An empty text is allowed without a model call.
 *
 * @throws the errors of `runCheck`, and ActionError if the variant has no prompt
 */
export async function judgeText(check: RailCheck, context: ActionContext): Promise<RailVerdict> {
  const { variant, text, variables, modelType, decidedBy = "block" } = check;
  const task = taskOf(check, context);
  if (variant !== undefined && variant !== null && (typeof variant !== "string" || !context.tasks.has(task))) {
    const message = `the variant \`${String(variant)}\` of \`${check.task}\` has no prompt: add one for this task`;
    throw new ActionError(message, { action: check.task, code: "PR-105" });
  }
  const images = context[IMAGE_SLOT]?.images ?? [];
  if (text.trim() === "" && images.length === 0) {
    context.annotate({ reason: "there is no text to check" });
    return EMPTY_TEXT;
  }
  const stage = firstStageOf(context);
  const found = stage?.look(text);
  // Detectors do not read pictures, so they cannot allow them.
  const isClear =
    found !== undefined && (found.verdict === "block" || (found.verdict === "allow" && images.length === 0));
  if (stage !== undefined && isClear) {
    context.annotate(stage.detailsOf(found, detailsOf(task).asked[found.verdict === "allow" ? "allow" : "block"]));
    return { allowed: found.verdict === "allow", policy_violations: found.categories };
  }
  const shown: typeof variables =
    images.length === 0 ? variables : (...part) => ({ ...variables(...part), image_count: images.length });
  const asked = await runCheck(
    { task, modelType, text, variables: shown, images, question: MODERATION_QUESTION, decidedBy },
    context,
  );
  const { verdict, categories, isCached = false } = asked;
  const fixed = detailsOf(task)[isCached ? "cached" : "asked"][verdict];
  const base = images.length === 0 ? fixed : { ...fixed, metadata: { ...fixed.metadata, images: images.length } };
  const isLeft = stage !== undefined && found !== undefined;
  const details = isLeft ? stage.detailsOf({ ...found, verdict: "ask" }, base) : base;
  context.annotate(categories.length === 0 ? details : { categories, ...details });
  return { allowed: verdict === "allow", policy_violations: categories };
}

/** Returns the first stage of the running rail; undefined if it has none. */
function firstStageOf(context: Pick<ActionContext, "services" | "scope">): FirstStage | undefined {
  const stages = readOwn(context.services, FIRST_STAGES_SERVICE) as FirstStages | undefined;
  if (stages === undefined) return undefined;
  const { rail } = context.scope;
  return rail === undefined ? undefined : stages.get(rail);
}

/** Returns true if the text is allowed; otherwise like `judgeText`. */
export async function isAllowed(check: RailCheck, context: ActionContext): Promise<boolean> {
  return (await judgeText(check, context)).allowed;
}

/** Returns the task of a check: its variant, else `task $model=type` if a prompt has that name, else its own task. */
export function taskOf(
  { task, variant, modelType }: Pick<RailCheck, "task" | "variant" | "modelType">,
  { tasks }: Pick<ActionContext, "tasks">,
): string {
  if (variant !== undefined && variant !== null) return String(variant);
  const ofModel = `${task} $model=${modelType}`;
  return modelType !== undefined && tasks.has(ofModel) ? ofModel : task;
}

/** Returns the rendered prompt of a task as one text, for use inside of another prompt. */
export async function textOfTask(task: string, modelType: string, context: ActionContext): Promise<string> {
  const model = modelOfType(context.models, modelType);
  if (model === undefined) throw noModel(task, modelType);
  const loading = context.tasks.load();
  if (isPromise(loading)) await loading;
  const { prompt } = context.tasks.render({ task, model, events: () => context.events, context: context.context });
  if (prompt.kind === "text") return prompt.text;
  return prompt.messages.map(({ content }) => (typeof content === "string" ? content : "")).join("\n\n");
}

type AllowDetails = Readonly<Record<"asked" | "cached", Readonly<Record<"allow" | "block", VerdictDetails>>>>;

/** Details of verdicts by task. Tasks are named by configurations, so the number is bounded. */
const knownDetails = new Map<string, AllowDetails>();
const MAX_KNOWN_DETAILS = 200;

function detailsOf(task: string): AllowDetails {
  const known = knownDetails.get(task);
  if (known !== undefined) return known;
  const fixed = (metadata: Readonly<Record<string, unknown>>): AllowDetails["asked"] => ({
    allow: fixDetails({ reason: "the model says that the text should not be blocked", metadata: { ...metadata } }),
    block: fixDetails({ reason: "the model says that the text should be blocked", metadata: { ...metadata } }),
  });
  const details = { asked: fixed({ task }), cached: fixed({ task, cached: true }) };
  if (knownDetails.size >= MAX_KNOWN_DETAILS) knownDetails.clear();
  knownDetails.set(task, details);
  return details;
}
