import type { GuardrailsEvent } from "../engine/events.js";
import { modelForTask } from "../llm/model.js";
import { cleanBotIntent } from "./completions.js";
import { flowExamples } from "./examples.js";
import { endingWith } from "./history.js";
import { requireModel } from "./require-model.js";
import type { StepServices } from "./services.js";

export const GENERAL_RESPONSE = "general response";

const TASK = "generate_next_steps";
const MAX_HITS = 10;
const MAX_EXAMPLES = 5;

export interface NextStepInput {
  /** The user's canonical form. */
  readonly intent: string;
  readonly events: readonly GuardrailsEvent[];
  readonly context: Readonly<Record<string, unknown>>;
}

/** What the bot does next: says something, or follows a flow that the model wrote. */
export type NextStepChoice =
  | { readonly kind: "intent"; readonly intent: string; readonly source: "generator" | "llm" }
  | { readonly kind: "flow"; readonly flowId: string; readonly body: string; readonly source: "llm" };

/**
 * The second stage of the dialog, for utterances that no flow answers (spec rails 2.13). Whatever a model says that is
 * not a step becomes `general response`. Where a wrapped chain answers, it answers these utterances too.
 *
 * @throws ModelError when there is no model or its call fails
 */
export async function generateNextStep(input: NextStepInput, services: StepServices): Promise<NextStepChoice> {
  if (services.call.generator) return { kind: "intent", intent: GENERAL_RESPONSE, source: "generator" };
  const merged = services.call.merged?.call;
  if (merged?.isUsable === true && merged.userIntent === input.intent) {
    return { kind: "intent", intent: (await merged.readBotIntent()) ?? GENERAL_RESPONSE, source: "llm" };
  }
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
  return { kind: "intent", intent: cleanBotIntent(text) ?? GENERAL_RESPONSE, source: "llm" };
}
