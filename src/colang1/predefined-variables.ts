import { contextVariableNames } from "../engine/context-variables.js";

/** Variables that the engine, the pipeline, the API or library rails read and write. */
export const PREDEFINED_VARIABLES: ReadonlySet<string> = new Set(contextVariableNames("1.0"));

/** Variables reset with every event or call, so that assignments would be lost. */
export const RESERVED_VARIABLES: ReadonlySet<string> = new Set(["config", "event"]);

/** Variables that always hold text, and so have no properties to assign. */
export const TEXT_VARIABLES: ReadonlySet<string> = new Set([
  "last_user_message",
  "last_bot_message",
  "user_message",
  "bot_message",
]);
