import { GuardrailsError } from "../../diagnostics/errors.js";
import { isObject } from "../values/message-kinds.js";
import type { Destination } from "./node-options.js";

/** The parts of LangGraph's `Command` that a node may set. */
export interface CommandLike {
  readonly lg_name: "Command";
  readonly update?: unknown;
  readonly goto?: unknown;
  readonly graph?: unknown;
  readonly resume?: unknown;
}

export function isCommand(value: unknown): value is CommandLike {
  return isObject(value) && value["lg_name"] === "Command";
}

/** A command that writes the update and goes on there. LangGraph is loaded only when one is made. */
export async function makeCommand(update: object, goto: Destination, like?: CommandLike): Promise<object> {
  const { Command } = await loadLangGraph();
  const { graph, resume } = like ?? {};
  return new Command({
    update: update as Record<string, unknown>,
    goto: typeof goto === "string" ? goto : [...goto],
    ...(typeof graph === "string" ? { graph } : {}),
    ...(resume === undefined ? {} : { resume }),
  });
}

async function loadLangGraph() {
  try {
    return await import("@langchain/langgraph");
  } catch (cause) {
    throw new GuardrailsError("commands need the package `@langchain/langgraph`, which could not be loaded", {
      code: "RL-101",
      cause,
    });
  }
}
