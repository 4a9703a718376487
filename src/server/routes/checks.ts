import { AIMessage, type BaseMessage } from "@langchain/core/messages";
import * as z from "zod/v4";
import { DEFAULT_REFUSAL } from "../../engine/default-refusal.js";
import type { CheckResult } from "../../langchain/steps/review-steps.js";
import { rewriteWhole } from "../../langchain/values/message-extras.js";
import { roleOf } from "../../langchain/values/message-kinds.js";
import type { GuardrailsMetadata, RailDecision } from "../../turn/decision.js";
import { readJson } from "../body.js";
import type { Served } from "../configs.js";
import { toMessages } from "../openai-format/messages.js";
import { parseBody } from "../openai-format/parse-body.js";
import { conversationMessage } from "../openai-format/request.js";
import { toWireVerdict, verdictHeaders } from "../openai-format/verdict.js";
import { bodyLimits } from "../options.js";
import { chooseConfig } from "../resolve.js";
import { jsonResponse, type RequestScope } from "../scope.js";
import type { ServerContext } from "../server-context.js";
import { callText } from "../trust.js";
import { Exchange } from "../upstream/exchange.js";

const configFields = {
  config_id: z.string().min(1).max(255).nullish(),
  config_ids: z.array(z.string().min(1).max(255)).min(1).max(16).nullish(),
  rail_types: z
    .array(z.enum(["input", "output"]))
    .min(1)
    .max(2)
    .nullish(),
};

/** Body of `POST /v1/checks`. */
export const checkRequestSchema = z.strictObject({
  model: z.string().min(1).max(255).optional(),
  messages: z.array(conversationMessage).min(1).max(2048),
  ...configFields,
  guardrails: z.strictObject(configFields).nullish(),
});

/** `POST /v1/checks`: runs rails over the last message of a conversation, without generating a response. */
export async function checks(scope: RequestScope, server: ServerContext): Promise<Response> {
  const body = await readJson(scope.request, scope.connection, bodyLimits(server.limits));
  const request = parseBody(checkRequestSchema, body);
  const fields = { ...request, ...request.guardrails };
  const { served } = await chooseConfig({ ...fields, model: undefined }, scope.caller, server.choice);
  scope.facts.config = served.id;
  const messages = toMessages(request.messages, new Exchange({}));
  const { status, content, verdict } = await reviewLast({ served, messages, signal: scope.signal }, fields.rail_types);
  scope.facts.verdict = verdict;
  const shown = toWireVerdict(verdict, served.id, server.verdicts);
  const { rail } = verdict;
  const checked = {
    status,
    content,
    ...(rail === undefined ? {} : { rail }),
    ...(shown === undefined ? {} : { guardrails: { ...shown, status } }),
  };
  const headers = {
    ...scope.headers,
    "x-guardrails-config": served.id,
    ...verdictHeaders(shown),
    "x-guardrails-status": status,
  };
  return jsonResponse(checked, headers);
}

type Stage = "input" | "output";

interface Reviewing {
  readonly served: Served;
  readonly messages: readonly BaseMessage[];
  readonly signal: AbortSignal;
}

interface Review {
  readonly status: "passed" | "modified" | "blocked";
  readonly content: string;
  readonly verdict: GuardrailsMetadata;
}

/** Runs the rails of the stages over the last message. Each stage gets the output of the previous one. */
async function reviewLast(
  { served, messages, signal }: Reviewing,
  types: readonly Stage[] | null | undefined,
): Promise<Review> {
  const [lastMessage] = messages.slice(-1) as [BaseMessage];
  const before = messages.slice(0, -1);
  const ownStage: Stage = roleOf(lastMessage) === "assistant" ? "output" : "input";
  const calls = callText(lastMessage);
  const decisions: RailDecision[] = [];
  const check = async (stage: Stage, message: BaseMessage): Promise<CheckResult> => {
    const value = stage === ownStage ? [...before, message] : String(message.text);
    const result = await served.guardrails.check(value, { stage, signal });
    decisions.push(...result.guardrails.decisions);
    return result;
  };
  let last = lastMessage;
  let content = "";
  let status: Review["status"] = "passed";
  for (const stage of new Set(types ?? [ownStage])) {
    const result = await check(stage, last);
    if (result.blocked) return blockedReview(result, decisions);
    content = String(result.output);
    if (result.status === "modified") {
      status = "modified";
      last = rewriteWhole(last, content);
    }
    if (calls === "") continue;
    const called = await check(stage, new AIMessage(calls));
    // A rewritten text cannot be converted back to tool names and arguments.
    if (called.status !== "passed") return blockedReview(called, decisions);
  }
  return { status, content, verdict: { blocked: false, decisions } };
}

function blockedReview(result: CheckResult, decisions: readonly RailDecision[]): Review {
  const { blocked, output, guardrails } = result;
  const { stage, rail } = blocked
    ? guardrails
    : (guardrails.decisions.findLast(({ status }) => status === "modified") ?? {});
  const verdict = { ...guardrails, ...(stage && { stage }), ...(rail && { rail }), blocked: true, decisions };
  return { status: "blocked", content: blocked ? String(output) : DEFAULT_REFUSAL, verdict };
}
