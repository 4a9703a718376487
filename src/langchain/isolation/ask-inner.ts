import type { Runnable, RunnableConfig } from "@langchain/core/runnables";
import { OutputParseError } from "../../diagnostics/errors.js";
import { runWithConfig, withoutCheckpoints } from "../callbacks.js";
import { isObject } from "../values/message-kinds.js";

/**
 * Asks the runnable behind the rails. It runs where models that are called without a config find the quarantined one and
 * not the handlers around it, which would be shown what no rail has seen.
 *
 * @throws the runnable's own error; of a parser's only that it failed, since its message quotes the unreviewed answer
 */
export async function askInner<Input, Output>(
  inner: Runnable<Input, Output>,
  input: Input,
  given: RunnableConfig,
): Promise<Output> {
  const config = withoutCheckpoints(inner, given);
  try {
    return await runWithConfig(config, () => inner.invoke(input, config));
  } catch (error) {
    throw withoutAnswer(error);
  }
}

/** An error of the runnable behind the rails as the caller may see it. */
export function withoutAnswer(error: unknown): unknown {
  return quotesAnswer(error) ? unreadableAnswer() : error;
}

const MAX_CAUSES = 16;

/** INVARIANT: what an error was made of leaves with it, so its causes count too; a chain without end counts as quoting. */
function quotesAnswer(error: unknown, depth = 0): boolean {
  if (!isObject(error)) return false;
  if (depth > MAX_CAUSES) return true;
  const { cause, errors } = error;
  return (
    error["name"] === "OutputParserException" ||
    error["name"] === "ToolInputParsingException" ||
    // What `JSON.parse` cannot read it quotes.
    error["name"] === "SyntaxError" ||
    error["lc_error_code"] === "OUTPUT_PARSING_FAILURE" ||
    typeof error["llmOutput"] === "string" ||
    quotesAnswer(cause, depth + 1) ||
    (Array.isArray(errors) && errors.some((each) => quotesAnswer(each, depth + 1)))
  );
}

function unreadableAnswer(): OutputParseError {
  return new OutputParseError(
    "a parser inside the guarded chain could not read the model's answer, which no rail has reviewed yet; put the parser " +
      "behind the guarded part, or see the traced run for the answer",
  );
}
