import type { ActionContext, ActionFunction } from "../../actions/action.js";
import { andThen } from "../../engine/async.js";
import { contextText } from "../context-text.js";
import { judge } from "./judge.js";

/** A check by a guard model. */
interface GuardCheck {
  readonly task: string;
  readonly side: "input" | "output";
  /** Type of the model, if the reference of the rail names none. */
  readonly modelType: string;
}

/** Returns an action that calls a guard model and returns `{ allowed, policy_violations }`. */
export function guardAction({ task, side, modelType }: GuardCheck): ActionFunction {
  return (params, context) => {
    const { variant } = params;
    const text = subjectOf(side, params, context);
    const question = side === "input" ? "" : contextText(context.context, "user_message", "last_user_message");
    const variables = (part: string, isPart: boolean): Readonly<Record<string, unknown>> =>
      side === "input"
        ? { user_input: part, bot_response: "" }
        : { user_input: isPart ? shortened(question) : question, bot_response: part };
    return andThen(judge(), ({ judgeText }) =>
      judgeText({ task, modelType: typeOf(params, modelType), variant, text, variables }, context),
    );
  };
}

/** Returns the type of the model in the reference of a rail: `$model=type`, or `$model_name=type` as in NeMo Guardrails. */
export function typeOf({ model, model_name: name }: Readonly<Record<string, unknown>>, modelType: string): string {
  const given = model ?? name;
  return typeof given === "string" && given !== "" ? given : modelType;
}

/** Returns the text that a rail checks: the one that its flow passes, else the message of the conversation. */
export function subjectOf(
  side: "input" | "output",
  { text }: Readonly<Record<string, unknown>>,
  { context }: Pick<ActionContext, "context">,
): string {
  if (typeof text === "string") return text;
  return contextText(context, side === "input" ? "user_message" : "bot_message");
}

/** Length limit of the user's question in a prompt with a part of the bot's message, in characters. */
const SHOWN_QUESTION = 1000;

/** Returns the user's question, shortened, for a prompt with a part of a long answer. */
export function shortened(question: string): string {
  return question.length > SHOWN_QUESTION ? `${question.slice(0, SHOWN_QUESTION)} …` : question;
}
