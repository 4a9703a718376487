import type { ActionFunction } from "../../actions/action.js";
import { ActionError } from "../../diagnostics/errors.js";
import { didYouMean } from "../../diagnostics/suggestion.js";
import { contextText } from "../context-text.js";
import { shortened, subjectOf } from "../judges/guard-actions.js";
import { judge } from "../judges/judge.js";
import { railPart } from "../rail-code.js";
import type { PrepareTools, RailCode, RailSettings } from "../rail-manifest.js";

const RAIL = "llm-judge";
const TASK = "llm_judge_check_single_policy_compliance";
const MODELS = ["llm_judge", "llm-judge"];

/** Policies by name, each a list of sentences. */
type Policies = ReadonlyMap<string, readonly string[]>;

/** Reads the policies. Reports listed rails without a policy, and references to an unknown one. */
export function prepare(settings: RailSettings, tools: PrepareTools): Policies {
  const { listed, report } = tools;
  const given = Object.entries((settings["policies"] ?? {}) as Readonly<Record<string, readonly string[]>>);
  const policies: Policies = new Map(given.map(([name, texts]) => [name, texts.filter((text) => text.trim() !== "")]));
  const hint = "write `policies: { medicine: No advice on medicines. }`";
  if (policies.size === 0) report({ path: ["policies"], message: "the rail has no policies", hint });
  for (const [name, texts] of policies) {
    if (texts.length === 0) report({ path: ["policies", name], message: `the policy \`${name}\` is empty`, hint });
  }
  for (const { name: flow, parameters } of listed) {
    const policy = parameters.find(({ name }) => name === "policy")?.value;
    checkLength(typeof policy === "string" ? [policy] : [...policies.keys()], policies, tools);
    if (typeof policy !== "string" || policies.has(policy)) continue;
    const known = [...policies.keys()];
    const hint = didYouMean(policy, known) ?? `the policies are ${known.map((name) => `\`${name}\``).join(", ")}`;
    report({ path: ["policies"], message: `\`${flow}\` names the policy \`${policy}\`, which does not exist`, hint });
  }
  return policies;
}

/** Longest prompt in characters, unless a prompt of the configuration says otherwise. */
const MAX_LENGTH = 16_000;

/** Reports policies that are longer than the prompt that they stand in, so that no text could be judged. */
function checkLength(names: readonly string[], policies: Policies, { config, report }: PrepareTools): void {
  const length = names.flatMap((name) => policies.get(name) ?? []).join("\n").length;
  const tasks = new Set([TASK, ...names.map((name) => `${TASK}/${name}`)]);
  // A prompt of the configuration need not contain the policies.
  const configured = config.prompts.filter(({ task }) => tasks.has(task));
  const maximum = Math.max(...configured.map((prompt) => prompt.max_length), configured.length === 0 ? MAX_LENGTH : 0);
  if (length < maximum || !configured.every((prompt) => JSON.stringify(prompt).includes("policies"))) return;
  const [only] = names;
  const path = names.length === 1 && only !== undefined ? ["policies", only] : ["policies"];
  const message = `the policies have ${length} characters, more than a prompt of ${maximum} has room for`;
  report({ path, message, hint: "shorten them, or give the task a prompt with a larger `max_length`" });
}

/** Actions of the rail. */
export const actions: RailCode["actions"] = {
  /** Asks if the user's message keeps to a policy, or to all of them. */
  llm_judge_check_input: judgeAction("input"),
  /** Asks if the bot's message keeps to a policy, or to all of them. */
  llm_judge_check_output: judgeAction("output"),
};

function judgeAction(side: "input" | "output"): ActionFunction {
  return async (params, context) => {
    const { model, policy } = params;
    const policies = await railPart<Policies>(context, RAIL);
    const names = typeof policy === "string" ? [policy] : [...policies.keys()];
    const texts = names.flatMap((name) => policies.get(name) ?? []);
    if (texts.length === 0) throw new ActionError(`unknown policy \`${String(policy)}\``, { action: TASK });
    const text = subjectOf(side, params, context);
    const question = side === "input" ? "" : contextText(context.context, "user_message", "last_user_message");
    const [only] = names.length === 1 ? names : [];
    const ofPolicy = `${TASK}/${only}`;
    const { judgeText } = await judge();
    const verdict = await judgeText(
      {
        task: only !== undefined && context.tasks.has(ofPolicy) ? ofPolicy : TASK,
        modelType:
          typeof model === "string" ? model : MODELS.find((type) => Object.hasOwn(context.models.byType, type)),
        variant: params["variant"],
        text,
        variables: (part, isPart) =>
          side === "input"
            ? { policies: texts, user_input: part, bot_response: "" }
            : { policies: texts, user_input: isPart ? shortened(question) : question, bot_response: part },
      },
      context,
    );
    if (verdict.allowed || verdict.policy_violations.length > 0 || only === undefined) return verdict;
    context.annotate({ categories: [only] });
    return { allowed: false, policy_violations: [only] };
  };
}
