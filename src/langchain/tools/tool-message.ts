import { ToolMessage } from "@langchain/core/messages";
import type { GuardrailsMetadata } from "../../turn/decision.js";
import { registerVerdict } from "../values/registered-verdict.js";
import type { ProposedCall } from "./tool-calls.js";

/** What a model that called a tool is told instead of a result. */
export function refusedResult({ name, id }: ProposedCall, refusal: string, verdict: GuardrailsMetadata): ToolMessage {
  return new ToolMessage({
    content: refusal,
    name,
    tool_call_id: id ?? "",
    status: "error",
    response_metadata: { guardrails: registerVerdict(verdict) },
  });
}
