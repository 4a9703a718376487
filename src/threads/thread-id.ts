import type { RunnableConfig } from "@langchain/core/runnables";
import { InputShapeError } from "../diagnostics/errors.js";

/**
 * The conversation that a call belongs to: `configurable.thread_id`.
 *
 * @throws InputShapeError for an identity that is none: it would silently make the call forget everything
 */
export function threadIdOf(config: RunnableConfig | undefined): string | undefined {
  const id: unknown = config?.configurable?.["thread_id"];
  if (id === undefined || id === null) return undefined;
  if (typeof id === "string" && id !== "") return id;
  if (typeof id === "number" && Number.isFinite(id)) return String(id);
  const found = id === "" ? "an empty text" : typeof id === "number" ? String(id) : `of type ${typeof id}`;
  throw new InputShapeError(`\`configurable.thread_id\` is a text or a number that names a conversation, not ${found}`);
}
