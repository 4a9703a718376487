import { modelForTask } from "../../../llm/model.js";
import { cleanBotIntent, shortForm } from "./completions.js";
import { flowExamples } from "./examples.js";
import { endingWith } from "../../../generation/history.js";
import { abandonCall, type MergedCall } from "./merged-call.js";
import { fallsBack, mergedMode, mergedParameters, startStepsCall } from "./start-merged-call.js";
import { type DialogInput, requireModel, GENERAL_RESPONSE } from "../../../generation/services.js";
import { type StepServices } from "./services.js";

const TASK = "generate_next_steps";
const MAX_HITS = 10;
const MAX_EXAMPLES = 5;

export interface NextStepInput extends DialogInput {
  /** The user's canonical form. */
  readonly intent: string;
}

/** The bot's next step: an intent, or a flow written by the model. */
export type NextStepChoice =
  | { readonly kind: "intent"; readonly intent: string; readonly source: "generator" | "llm" }
  | { readonly kind: "flow"; readonly flowId: string; readonly body: string; readonly source: "llm" };

/**
 * Second dialog stage, for utterances that no flow answers. A completion that is not a step becomes `general response`.
 * A wrapped chain, if any, answers these utterances too.
 *
 * @throws ModelError if there is no model or its call fails
 */
export async function generateNextStep(input: NextStepInput, services: StepServices): Promise<NextStepChoice> {
  if (services.call.generator) return { kind: "intent", intent: GENERAL_RESPONSE, source: "generator" };
  const merged = await mergedStep(input, services);
  if (merged !== undefined) return { kind: "intent", intent: merged, source: "llm" };
  const hits = await services.indexes.flows.search(input.intent, MAX_HITS);
  const { text } = await services.tasks.run({
    task: TASK,
    model: requireModel(modelForTask(services.models, TASK), TASK),
    events: endingWith(input.events, { type: "UserIntent", property: "intent", value: input.intent }),
    context: input.context,
    variables: flowExamples(hits, MAX_EXAMPLES),
    parameters: { temperature: services.settings.lowest_temperature },
    scope: services.scope,
  });
  if (services.settings.enable_multi_step_generation) {
    const flowId = services.ids.next();
    const flow = services.compileFlowBody(flowId, text);
    if (flow) return { kind: "flow", flowId, body: flow.sourceText, source: "llm" };
    return { kind: "intent", intent: GENERAL_RESPONSE, source: "llm" };
  }
  return { kind: "intent", intent: shortForm(cleanBotIntent(text)) ?? GENERAL_RESPONSE, source: "llm" };
}

/**
 * Reads the step from the turn's merged call. If none is running, as after an intent that needed no model, starts one.
 *
 * @returns undefined if the step must be requested separately
 */
async function mergedStep(input: NextStepInput, services: StepServices): Promise<string | undefined> {
  const slot = services.call.merged;
  const isRunning = slot?.call?.isUsable === true && slot.call.userIntent === input.intent;
  const call = isRunning ? slot.call : await beginCall(input, services);
  if (!slot || !call) return undefined;
  const step = await call.readBotIntent();
  if (call.areWordsApart) call.cancelRest();
  if (step !== null) return step;
  // Text without a step is still a response.
  if (!fallsBack(services) || (!call.areWordsApart && (await call.readWords()) !== "")) return GENERAL_RESPONSE;
  abandonCall(slot);
  return undefined;
}

async function beginCall(input: NextStepInput, services: StepServices): Promise<MergedCall | undefined> {
  const slot = services.call.merged;
  const mode = mergedMode(services);
  if (!slot || !mode || services.settings.enable_multi_step_generation) return undefined;
  const { llmParams } = services.call;
  const { areWordsApart } = mergedParameters(llmParams, { mode, lowest: services.settings.lowest_temperature });
  // Without the text, the call would be the step alone, which has its own prompt.
  return areWordsApart ? undefined : startStepsCall(input, services, { slot, mode });
}
