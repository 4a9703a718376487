import { ActionError } from "../../../diagnostics/errors.js";
import type { ActionContext, ActionDefinition, ActionResult } from "../../../actions/action.js";
import { actionResult } from "../../../actions/dispatcher.js";
import { defineAction } from "../../../actions/define-action.js";
import { andThen, lazily, type MaybePromise } from "../../../engine/async.js";
import { readOwn } from "../../../engine/plain-data.js";
import { generateGeneral } from "../../../generation/passthrough.js";
import { GENERAL_RESPONSE } from "../../../generation/services.js";
import { botMessageResult } from "./bot-message-result.js";
import { type GenerationServices, type StepServices, stepServices } from "./services.js";

/** Steps of the dialog; configurations without user messages and flows never load them. */
export const dialogActions = lazily(() => import("./dialog-actions.js"));

type Params = Readonly<Record<string, unknown>>;

interface Described {
  readonly verdict?: boolean;
  readonly parameters?: readonly string[];
  readonly run: (context: ActionContext, services: StepServices, params: Params) => MaybePromise<unknown>;
}

type Run = Described["run"];

/** An action that only the dialog uses. */
const inDialog =
  (name: "nextStepAction" | "botMessageAction" | "retrieveAction" | "valueAction"): Run =>
  (context, services, params) =>
    andThen(dialogActions(), (actions) => actions[name](context, services, params));

const ACTIONS: Readonly<Record<string, Described>> = {
  generate_user_intent: { run: userIntentAction },
  generate_next_step: { run: inDialog("nextStepAction") },
  generate_next_steps: { run: inDialog("nextStepAction") },
  generate_bot_message: { run: inDialog("botMessageAction") },
  retrieve_relevant_chunks: { run: inDialog("retrieveAction") },
  render_bot_message: { verdict: true, parameters: ["intent"], run: renderAction },
  generate_value: { verdict: true, parameters: ["instructions", "var_name"], run: inDialog("valueAction") },
};

/** Names of these actions, which flows of a configuration may also execute. */
export const GENERATION_ACTIONS: readonly string[] = Object.keys(ACTIONS);

/**
 * The pipeline's own actions. They never replace actions of the user: one with the same name takes precedence.
 *
 * @example
 * ```ts
 * for (const action of createGenerationActions(services)) builder.register(action, undefined, { override: false });
 * ```
 */
export function createGenerationActions(services: GenerationServices): readonly ActionDefinition[] {
  return Object.entries(ACTIONS).map(([name, { run, ...options }]) =>
    defineAction({ name, system: true, ...options }, (params: Params, context) =>
      run(context, stepServices(services, context), params),
    ),
  );
}

async function userIntentAction(action: ActionContext, services: StepServices): Promise<ActionResult> {
  const { events, context } = action;
  if (!services.hasUserMessages) {
    if (needsRetrievalRails(context, services)) {
      return actionResult({ events: [{ type: "BotIntent", intent: GENERAL_RESPONSE }] });
    }
    return botMessageResult(await generateGeneral({ events, context }, services), context);
  }
  return (await dialogActions()).knownIntentAction(action, services);
}

/**
 * Chunks reach a prompt only after the retrieval rails, which run when a bot intent becomes a message. So a response
 * with chunks goes that way even without user messages.
 */
function needsRetrievalRails(context: Readonly<Record<string, unknown>>, services: StepServices): boolean {
  if (services.call.generator || services.settings.passthrough === true) return false;
  if (services.settings.rails.retrieval.flows.length === 0) return false;
  const supplied = readOwn(context, "relevant_chunks");
  return (services.kb !== undefined && services.kb !== null) || (typeof supplied === "string" && supplied !== "");
}

/** Text of a predefined message, for flows that emit it as an event instead of a step. */
async function renderAction({ context }: ActionContext, services: StepServices, { intent }: Params): Promise<string> {
  const text = typeof intent === "string" ? await services.messages.render(intent, context) : undefined;
  if (text !== undefined) {
    if (services.messages.isFixed(text)) services.call.rail?.written.add(text);
    return text;
  }
  throw new ActionError(`expected a predefined message, got \`${String(intent)}\``, { action: "render_bot_message" });
}
