import * as z from "zod/v4";
import { roleOf } from "../../langchain/values/message-kinds.js";
import type { RailDecision } from "../../turn/decision.js";
import { readJson } from "../body.js";
import { toMessages } from "../openai-format/messages.js";
import { parseBody } from "../openai-format/parse-body.js";
import { conversationMessage } from "../openai-format/request.js";
import { toWireVerdict, verdictHeaders } from "../openai-format/verdict.js";
import { bodyLimits } from "../options.js";
import { chooseConfig } from "../resolve.js";
import { jsonResponse, type RequestScope } from "../scope.js";
import type { ServerContext } from "../server-context.js";
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

/** `POST /v1/checks`: rails over the last message of a conversation, without an answer. */
export async function checks(scope: RequestScope, server: ServerContext): Promise<Response> {
  const body = await readJson(scope.request, scope.connection, bodyLimits(server.limits));
  const request = parseBody(checkRequestSchema, body);
  const fields = { ...request, ...request.guardrails };
  const { served } = await chooseConfig({ ...fields, model: undefined }, scope.caller, server.choice);
  scope.facts.config = served.id;
  const messages = toMessages(request.messages, new Exchange({}));
  const last = messages.at(-1);
  const own = last !== undefined && roleOf(last) === "assistant" ? "output" : "input";
  const stages = new Set<"input" | "output">(fields.rail_types ?? [own]);
  const decisions: RailDecision[] = [];
  let status: "passed" | "modified" | "blocked" = "passed";
  let content: string | undefined;
  for (const stage of stages) {
    const value = stage === own || last === undefined ? messages : String(last.text);
    const result = await served.guardrails.check(value, { stage, signal: scope.signal });
    decisions.push(...result.guardrails.decisions);
    content = result.output;
    status = result.status === "passed" ? status : result.status;
    if (result.blocked) {
      scope.facts.verdict = { ...result.guardrails, decisions };
      break;
    }
  }
  const verdict = { ...scope.facts.verdict, blocked: status === "blocked", decisions };
  scope.facts.verdict = verdict;
  const shown = toWireVerdict(verdict, served.id, server.verdicts);
  const { rail } = verdict;
  const answer = {
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
  return jsonResponse(answer, headers);
}
