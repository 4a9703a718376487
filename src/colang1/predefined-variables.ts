import { contextVariableNames } from "../engine/context-variables.js";

/** Variables that the engine, the pipeline, the API or library rails read and write. */
export const PREDEFINED_VARIABLES: ReadonlySet<string> = new Set(contextVariableNames("1.0"));

/** Set anew with every event or call; an assignment would be lost. */
export const RESERVED_VARIABLES: ReadonlySet<string> = new Set(["config", "event"]);

/** Always text, so they have no properties to assign. */
export const TEXT_VARIABLES: ReadonlySet<string> = new Set([
  "last_user_message",
  "last_bot_message",
  "user_message",
  "bot_message",
]);
