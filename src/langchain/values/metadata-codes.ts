import { wordSet } from "./message-kinds.js";

/** Keys of a response's metadata whose single words are provider codes. */
const CODE_KEYS: ReadonlySet<string> = wordSet(
  "id object model model_name model_provider modelName model_id modelId modelVersion model_version output_version provider",
  "finish_reason finishReason native_finish_reason stop_reason stopReason stop_sequence done_reason status type role",
  "system_fingerprint service_tier serviceTier created created_at createTime timestamp date requestId request_id",
  "extendedRequestId cfId responseId response_id generationId generation_id previous_response_id conversation_id",
  "category probability severity blockReason reason modality language format encoding effort truncation verbosity",
  "tool_choice phase traffic_type trafficType region deployment call_id tool_use_id tool_call_id inference_geo",
);

/** Single words of settings that providers echo. */
const CODE_WORDS: ReadonlySet<unknown> = wordSet(
  "auto none default enabled disabled minimal low medium high concise detailed",
);

/** Returns true for an identifier: one word of letters, digits and signs. */
export function isIdentifier(text: string): boolean {
  return text.length <= MAX_IDENTIFIER && !/[^\w.:@/+=~|-]/.test(text);
}

const MAX_IDENTIFIER = 512;

/** Returns false for single-word codes that providers add to answers under known keys; all else is text. */
export function isText(key: string, text: string, isResponse: boolean): boolean {
  if (text === "") return false;
  return !isResponse || !((CODE_KEYS.has(key) && isIdentifier(text)) || CODE_WORDS.has(text));
}

/** Returns true for the package versions that LangChain notes on a tool result. */
export function isVersions(key: string, value: unknown): boolean {
  if (key !== "versions" || typeof value !== "object" || value === null) return false;
  return Object.entries(value).every(
    ([name, version]) => name.startsWith("@langchain/") && /^[\d.]{1,20}$/.test(String(version)),
  );
}
