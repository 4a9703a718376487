import type { ActionContext } from "../../actions/action.js";
import type { RailCode } from "../rail-manifest.js";
import { ActionError, ModelError, OutputParseError } from "../../diagnostics/errors.js";
import { readOwn } from "../../engine/plain-data.js";
import { contextText } from "../context-text.js";
import { judge } from "../judges/judge.js";

const TASK = "self_check_hallucination";
const SAMPLING_TASK = "general";
const MAX_SAMPLES = 10;

/** Actions of the rail. */
export const actions: RailCode["actions"] = {
  /**
   * Returns true if the bot's message looks made up: the main model answers the question again several times, at a high
   * temperature, and a model judges if the message agrees with these samples. Predefined messages pass.
   */
  [TASK]: async ({ num_samples: given }, context) => {
    const statement = contextText(context.context, "bot_message", "last_bot_message");
    if (statement === "" || context.context["_predefined_message"] === true) {
      context.annotate({ reason: statement === "" ? "there is no text to check" : "the message is predefined" });
      return false;
    }
    const { num_samples: usual, method, threshold } = settingsOf(context);
    const samples = await drawSamples(sampleCount(given ?? usual), context);
    const paragraphs = method === "each" ? samples : [samples.map((sample) => sample.replace(/\.$/, "")).join(". ")];
    const verdicts = await Promise.all(paragraphs.map((paragraph) => agreesWith(statement, paragraph, context)));
    const score = verdicts.filter(Boolean).length / verdicts.length;
    const agrees = score >= threshold;
    context.annotate({
      reason: `the text ${agrees ? "agrees" : "does not agree"} with further answers of the model`,
      score,
      ...(method === "each" ? { threshold } : {}),
      metadata: { task: TASK, samples: samples.length },
    });
    return !agrees;
  },
};

/** `rails.config.self_check_hallucination`, with defaults filled in. */
interface ConsistencySettings {
  readonly num_samples: number;
  readonly method: "together" | "each";
  readonly threshold: number;
}

const DEFAULTS: ConsistencySettings = { num_samples: 2, method: "together", threshold: 0.5 };

/** Returns the settings, or the defaults if the configuration has none. */
function settingsOf({ config }: ActionContext): ConsistencySettings {
  return (readOwn(config.rails.config, "self_check_hallucination") as ConsistencySettings | undefined) ?? DEFAULTS;
}

/** Asks a model if the statement agrees with other answers. */
async function agreesWith(statement: string, paragraph: string, context: ActionContext): Promise<boolean> {
  const { runCheck, SUPPORT_QUESTION } = await judge();
  const { verdict } = await runCheck(
    {
      task: TASK,
      text: statement,
      variables: (part) => ({ statement: part, paragraph }),
      question: SUPPORT_QUESTION,
      decidedBy: "unsupported",
      varies: true,
    },
    context,
  );
  return verdict === "supported";
}

/** Returns further answers of the main model to the user's question, with the same evidence, at a temperature of 1. */
async function drawSamples(count: number, context: ActionContext): Promise<readonly string[]> {
  const { main } = context.models;
  if (!main) {
    const message = "no main model: `self check hallucination` asks it again; add one with `type: main` to `models`";
    throw new ModelError(message, { code: "CF-119", task: TASK });
  }
  const question = contextText(context.context, "user_message", "last_user_message");
  if (question === "") throw new ActionError(`\`${TASK}\` needs the user's question`, { action: TASK });
  // Load before the calls: until then, no handler would receive the error of a call.
  const { readUtterance } = await import("../../llm/parsers/completion-text.js");
  const runs = Array.from({ length: count }, () =>
    context.tasks.run({
      task: SAMPLING_TASK,
      model: main,
      events: [{ type: "UserMessage", text: question }],
      context: context.context,
      parameters: { temperature: 1 },
      scope: context.scope,
    }),
  );
  const answers = (await Promise.all(runs)).map(({ text }) => readUtterance(text)).filter((text) => text !== "");
  if (answers.length > 0) return answers;
  throw new OutputParseError("the main model gave no further answers to compare with", { task: SAMPLING_TASK });
}

function sampleCount(given: unknown): number {
  if (typeof given === "number" && Number.isInteger(given) && given >= 1 && given <= MAX_SAMPLES) return given;
  throw new ActionError(`\`num_samples\` of \`${TASK}\` is a whole number from 1 to ${MAX_SAMPLES}`, { action: TASK });
}
