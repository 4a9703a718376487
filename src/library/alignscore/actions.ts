import type { ActionContext } from "../../actions/action.js";
import { contextText } from "../context-text.js";
import { ConnectTools } from "../http/connect-tools.js";
import { Reply, ReplyError } from "../http/reply.js";
import { type Connection, sendRequest, serviceError } from "../http/send-request.js";
import { railPart } from "../rail-code.js";
import type { PrepareTools, RailCode, RailSettings } from "../rail-manifest.js";

const RAIL = "alignscore";
const ACTION = "alignscore_check_facts";
const THRESHOLD = 0.5;

/** `rails.config.fact_checking`, with defaults filled in. */
interface FactSettings {
  readonly parameters: { readonly endpoint: string | null };
  readonly fallback_to_self_check: boolean;
  readonly timeout: number;
  readonly retries: number;
  readonly on_error: Connection["onError"] | null;
}

interface FactPart {
  /** Address of the server; empty if only the model is used. */
  readonly url: string;
  readonly connection: Connection;
  readonly asksModel: boolean;
}

/** Reads the address of the server, which may be missing if the self check by a model replaces a failing server. */
export function prepare(settings: RailSettings, tools: PrepareTools): FactPart {
  // The schema and the code of a rail agree on the type of its settings.
  const {
    parameters,
    fallback_to_self_check: asksModel,
    timeout,
    retries,
    on_error: onError,
  } = settings as unknown as FactSettings;
  const { endpoint } = parameters;
  const hint = "set it to the address of an AlignScore server, such as `http://localhost:5000/alignscore_base`";
  const connect = new ConnectTools(tools, "AlignScore");
  const url = endpoint === null && asksModel ? "" : connect.address(endpoint, ["parameters", "endpoint"], hint);
  const connection = { service: "AlignScore", action: ACTION, headers: {}, timeoutMs: timeout * 1000, retries };
  return { url, asksModel, connection: onError == null ? connection : { ...connection, onError } };
}

/** Actions of the rail. */
export const actions: RailCode["actions"] = {
  /**
   * Returns how well the evidence supports the bot's message, from 0 to 1. Without evidence, or without a message, it returns 1.
   */
  [ACTION]: async (params, context) => {
    const part = await railPart<FactPart>(context, RAIL);
    const claim = contextText(context.context, "bot_message");
    const evidence = contextText(context.context, "relevant_chunks", "relevant_chunks_sep");
    if (claim === "" || evidence === "") {
      context.annotate({ reason: claim === "" ? "there is no text to check" : "there is no evidence" });
      return 1;
    }
    try {
      const score = part.url === "" ? undefined : await scoreOf(part, { evidence, claim }, context);
      if (score === undefined) return await askModel(params, context);
      const reason = `the evidence ${score < THRESHOLD ? "does not support" : "supports"} the text`;
      context.annotate({ reason, score, threshold: THRESHOLD });
      return score;
    } catch (error) {
      if (!part.asksModel || part.url === "" || context.signal.aborted) throw error;
      return askModel(params, context);
    }
  },
};

async function scoreOf({ url, connection }: FactPart, body: object, { signal }: ActionContext): Promise<number> {
  try {
    return new Reply(await sendRequest(connection, { url, body }, signal)).at("alignscore").ratio();
  } catch (error) {
    if (error instanceof ReplyError) throw serviceError(connection, `its response is not valid: ${error.message}`);
    throw error;
  }
}

async function askModel(params: Readonly<Record<string, unknown>>, context: ActionContext): Promise<unknown> {
  const selfCheck = await import("../self-check-facts/actions.js");
  return selfCheck.actions["self_check_facts"]?.(params, context);
}
