import type { Finding } from "../../detectors/finding.js";
import type { PrepareTools } from "../rail-manifest.js";
import type { FindAlso } from "../detection.js";
import { ConnectTools } from "../http/connect-tools.js";
import { Reply, ReplyError } from "../http/reply.js";
import { type Connection, sendRequest, serviceError } from "../http/send-request.js";

/** Connection of the rail to a Presidio server. */
export interface PresidioSettings {
  readonly server_endpoint?: string | null;
  readonly language?: string;
  readonly api_key_env_var?: string | null;
  readonly timeout?: number;
  readonly retries?: number;
  readonly on_error?: Connection["onError"] | null;
}

interface Search {
  readonly entities: readonly string[];
  readonly threshold: number;
  readonly allow: readonly string[];
}

const TITLE = "Presidio";
const DETECTOR = "presidio";
const ENTITY = /^[A-Z][A-Z0-9_]{0,59}$/;

/**
 * Returns the search by the analyzer of a Presidio server (`POST /analyze`).
 *
 * @see https://microsoft.github.io/presidio/api-docs/api-docs.html
 */
export function presidioSearch(settings: PresidioSettings, search: Search, tools: PrepareTools): FindAlso {
  const connect = new ConnectTools(tools, TITLE);
  const hint = "set it to the address of the analyzer, such as `http://localhost:5002`";
  const url = connect.address(settings.server_endpoint, ["server_endpoint"], hint).replace(/\/analyze$/, "");
  const { language = "en", api_key_env_var: variable, timeout = 30, retries = 2, on_error: stated } = settings;
  const key = variable === undefined || variable === null ? undefined : connect.key(variable, ["api_key_env_var"]);
  const connection = {
    service: TITLE,
    action: "detect_sensitive_data",
    headers: key === undefined ? {} : { authorization: `Bearer ${key}` },
    timeoutMs: timeout * 1000,
    retries,
    onError: stated ?? undefined,
  };
  const { entities, threshold, allow } = search;
  return async (text, { signal }) => {
    const body = { text, language, entities, score_threshold: threshold };
    try {
      const reply = new Reply(await sendRequest(connection, { url: `${url}/analyze`, body }, signal));
      const found = findingsOf(reply, text);
      return found.filter(({ start, end, score }) => score >= threshold && !allow.includes(text.slice(start, end)));
    } catch (error) {
      if (error instanceof ReplyError) throw serviceError(connection, `its response is not valid: ${error.message}`);
      throw error;
    }
  };
}

/** Findings of a response. Presidio counts characters where JavaScript counts UTF-16 code units. */
function findingsOf(reply: Reply, text: string): readonly Finding[] {
  const offsets = characterOffsets(text);
  return reply.items().map((item) => {
    const [type, first, last] = [item.at("entity_type"), item.at("start"), item.at("end")];
    const start = offsetOf(first, offsets);
    const end = offsetOf(last, offsets);
    if (start >= end) return last.fail("behind its start");
    if (!ENTITY.test(type.text())) return type.fail("the name of an entity");
    return { type: type.text(), start, end, score: item.at("score").ratio(), detector: DETECTOR, rule: "analyzer" };
  });
}

function offsetOf(place: Reply, offsets: readonly number[]): number {
  return offsets[place.number()] ?? place.fail("a place in the text");
}

/** Offsets of the characters of a text, and of its end. */
function characterOffsets(text: string): readonly number[] {
  const offsets: number[] = [];
  let at = 0;
  for (const character of text) {
    offsets.push(at);
    at += character.length;
  }
  return [...offsets, at];
}
