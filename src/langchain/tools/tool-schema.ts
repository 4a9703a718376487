import { Validator } from "@langchain/core/utils/json_schema";
import { interopSafeParseAsync, isInteropZodSchema } from "@langchain/core/utils/types";
import { isObject, type PlainObject } from "../values/message-kinds.js";
import type { ProposedCall } from "./tool-calls.js";

/**
 * What is wrong with a call, given the tools that the model was offered: a tool that is not among them, or arguments that
 * it would not take. Undefined when nothing is, or when it is not known what was offered.
 */
export async function problemOfCall(call: ProposedCall, offered: readonly unknown[]): Promise<string | undefined> {
  if (call.problem !== undefined) return call.problem;
  const tools = offered.filter(isObject);
  if (tools.length === 0) return undefined;
  const tool = tools.find((candidate) => nameOf(candidate) === call.name);
  if (tool === undefined) return "no tool of this name was offered";
  return (await fits(schemaOf(tool), call.args)) ? undefined : "the arguments do not fit the tool's own schema";
}

/** Of LangChain's tools and of the providers' descriptions of tools. */
export function nameOf(tool: PlainObject): string | undefined {
  const described = isObject(tool["function"]) ? tool["function"]["name"] : tool["name"];
  return typeof described === "string" ? described : undefined;
}

function schemaOf(tool: PlainObject): unknown {
  const described = isObject(tool["function"]) ? tool["function"] : tool;
  return described["schema"] ?? described["parameters"] ?? described["input_schema"];
}

/** INVARIANT: a schema that cannot be used says nothing here; the tool itself will use it. */
async function fits(schema: unknown, args: unknown): Promise<boolean> {
  if (!isObject(schema)) return true;
  if (isInteropZodSchema(schema)) {
    const parsed = await interopSafeParseAsync(schema, args).catch(() => ({ success: false }));
    return parsed.success;
  }
  if (typeof schema["type"] !== "string") return true;
  try {
    return new Validator(schema as ConstructorParameters<typeof Validator>[0]).validate(args).valid;
  } catch {
    return true;
  }
}
