import { AIMessage, type BaseMessage } from "@langchain/core/messages";
import type { Runnable, RunnableConfig } from "@langchain/core/runnables";
import type { ReplyFormat } from "../../llm/model.js";
import { invokeWithChoices, type ObservedOutput } from "./completion-defects.js";
import { isMessage, isObject } from "../values/message-kinds.js";

interface StructuredModel {
  withStructuredOutput(schema: unknown, config: object): Runnable;
}

/** Returns true if the profile of a model has structured output. */
export function hasStructuredOutput(model: unknown): boolean {
  if (!isObject(model)) return false;
  try {
    const profile: unknown = model["profile"];
    return isObject(profile) && profile["structuredOutput"] === true && isStructured(model);
  } catch {
    return false;
  }
}

function isStructured(model: unknown): model is StructuredModel {
  return typeof (model as { withStructuredOutput?: unknown }).withStructuredOutput === "function";
}

/** Invokes a model that keeps to a schema; the output is its message, with the object as JSON text. */
export async function invokeStructured(
  model: Runnable,
  { name, schema }: ReplyFormat,
  input: string | BaseMessage[],
  options: RunnableConfig,
): Promise<ObservedOutput> {
  if (!isStructured(model)) return invokeWithChoices(model, input, options);
  const structured = model.withStructuredOutput(schema, { name, includeRaw: true, method: "jsonSchema" });
  const observed = await invokeWithChoices(structured, input, options);
  const raw = isObject(observed.output) ? observed.output["raw"] : undefined;
  const called = calledWith(raw, name);
  // INVARIANT: a single call of the schema's own tool is the reply; any other call stays a defect.
  if (called === undefined || observed.choices.length > 1) return { ...observed, output: raw };
  return { output: called, choices: [] };
}

/** The message of a model that realises schemas by a call of a tool, with the arguments as its text. */
function calledWith(raw: unknown, name: string): AIMessage | undefined {
  if (!isMessage(raw)) return undefined;
  const { tool_calls: calls, invalid_tool_calls: invalid, usage_metadata, response_metadata, id } = raw as AIMessage;
  const [call] = calls ?? [];
  if (call?.name !== name || calls?.length !== 1 || (invalid?.length ?? 0) > 0) return undefined;
  const metadata = Object.entries(response_metadata).filter(([, value]) => !isToolEnd(value));
  return new AIMessage({
    content: JSON.stringify(call.args),
    response_metadata: Object.fromEntries(metadata),
    ...(usage_metadata === undefined ? {} : { usage_metadata }),
    ...(id === undefined ? {} : { id }),
  });
}

function isToolEnd(value: unknown): boolean {
  return typeof value === "string" && /^tool_(?:calls?|use)$/i.test(value);
}
