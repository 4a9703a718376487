import type { ActionContext, ActionDefinition } from "../../actions/action.js";
import { textParameter, toolAction } from "../../actions/builtin/tool-action.js";
import { processEnvironment, variable } from "../../config/environment.js";
import { ActionError } from "../../diagnostics/errors.js";
import { readOwn } from "../../engine/plain-data.js";
import { contextText } from "../context-text.js";

const ADDRESS = "https://api.wolframalpha.com/v2/result";

/** Environment variable with another address of the service, such as a proxy. */
const ADDRESS_VARIABLE = "LANGCHAIN_GUARDRAILS_WOLFRAM_ALPHA_URL";

const TIMEOUT_MS = 30_000;
const RETRIES = 2;

/**
 * The action `wolfram alpha request`, which returns a short answer to a query; default: the last user message. The name with
 * underscores is for Colang 2.x, whose action names have no spaces.
 */
export const WOLFRAM_ALPHA_ACTIONS: readonly ActionDefinition[] = [
  "wolfram alpha request",
  "wolfram_alpha_request",
].map((name) =>
  toolAction({
    name,
    parameters: ["query"],
    read: (params, { context }) => {
      const message = contextText(context, "last_user_message", "user_message");
      return { query: textParameter(name, params, "query", message) };
    },
    call: (args, context) => request(name, String(readOwn(args, "query")), context),
  }),
);

async function request(action: string, query: string, { signal }: ActionContext): Promise<unknown> {
  const env = processEnvironment();
  const key = variable(env, "WOLFRAM_ALPHA_APP_ID");
  if (key === undefined) {
    throw new ActionError(`\`${action}\` needs the environment variable \`WOLFRAM_ALPHA_APP_ID\``, { action });
  }
  const { sendRequest } = await import("./send-request.js");
  const url = `${variable(env, ADDRESS_VARIABLE) ?? ADDRESS}?${new URLSearchParams({ appid: key, i: query }).toString()}`;
  const connection = { service: "Wolfram Alpha", action, headers: {}, timeoutMs: TIMEOUT_MS, retries: RETRIES };
  return sendRequest(connection, { url, format: "text" }, signal);
}
