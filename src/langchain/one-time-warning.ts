import { processEnvironment } from "../config/environment.js";
import { type Logger, logOnce } from "../diagnostics/logger.js";

/** Warns once per logger and process, and never in production. */
export function warnOnce(id: string, message: string, logger: Logger | undefined = console): void {
  if (processEnvironment()["NODE_ENV"] !== "production")
    logOnce(logger, "warn", id, `langchain-guardrails: ${message}`);
}

export { forgetLogged as forgetWarnings } from "../diagnostics/logger.js";

export const BARE_STRING =
  "a bare string given to `guardrails.invoke` is checked as an answer of the bot; for a turn with the user use " +
  "`guardrails.generate(text)` or `guardrails.invoke([new HumanMessage(text)])`";

export const INNER_HISTORY =
  "a wrapped `RunnableWithMessageHistory` stores responses before their review, and shows blocked ones to the model in the " +
  "next turn; wrap the chain inside of it: `new RunnableWithMessageHistory({ runnable: guardrails.wrap(chain), … })`";

/** @param key - the option `contextKey` */
export const missingEvidence = (key: string): string =>
  `neither the input nor the result of a wrapped chain has the key \`${key}\`, so retrieval rails and rails that compare a ` +
  "response with evidence, such as `self check facts`, have nothing to read; check the option `contextKey`";
