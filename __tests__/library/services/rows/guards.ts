import { BEARER, KEY, type ServiceRow, TEXT, UNKNOWN } from "./service-row.js";

/** A conversation that a service guards: the same contract at two vendors. */
interface GuardVendor {
  readonly key: string;
  readonly env: Readonly<Record<string, string>>;
  readonly path: string;
  readonly exception: string;
  /** Puts messages where the vendor expects them. */
  request(messages: readonly object[]): object;
  response(messages: readonly object[]): object;
}

const PANGEA: GuardVendor = {
  key: "pangea",
  env: { PANGEA_API_TOKEN: KEY, PANGEA_BASE_URL_TEMPLATE: "<url>/{SERVICE_NAME}" },
  path: "/ai-guard/v1/text/guard",
  exception: "PangeaAiGuardRailException",
  request: (messages) => ({ messages }),
  response: (messages) => ({ prompt_messages: messages }),
};

const CROWDSTRIKE: GuardVendor = {
  key: "crowdstrike_aidr",
  env: { CS_AIDR_TOKEN: KEY, CS_AIDR_BASE_URL_TEMPLATE: "<url>/{SERVICE_NAME}/" },
  path: "/aiguard/v1/guard_chat_completions",
  exception: "CrowdStrikeAidrGuardRailException",
  request: (messages) => ({ guard_input: { messages } }),
  response: (messages) => ({ guard_output: { messages } }),
};

function guardRow(vendor: GuardVendor, flow: string, stage: "input" | "output", settings: object = {}): ServiceRow {
  const { key, env, path, exception, response } = vendor;
  const role = stage === "input" ? "user" : "assistant";
  const message = (content: string) => ({ role, content });
  const result = (fields: object, messages: readonly object[] = []) => ({
    result: { ...fields, ...response(messages) },
  });
  const changed = { blocked: false, transformed: true };
  return {
    flow,
    stage,
    key,
    env,
    settings: { [key]: settings },
    refusal: UNKNOWN,
    exception,
    request: { path, headers: BEARER, body: vendor.request([message(TEXT)]) },
    passes: result({ blocked: false, transformed: false }, [message("unchanged")]),
    blocks: [result({ blocked: true }), result({ blocked: true, transformed: true }, [message("masked")])],
    rewrites: { reply: result(changed, [{ role: "system", content: "x" }, message("masked")]), to: "masked" },
    invalid: [
      { result: {} },
      result({ blocked: "false" }),
      result({ blocked: null }),
      result({ blocked: false, transformed: 1 }),
      { result: changed },
      result(changed),
      result(changed, [{ role: "system", content: "x" }]),
      result(changed, [{ role }]),
      result(changed, [message("masked"), message("")]),
    ],
  };
}

export const GUARD_ROWS: readonly ServiceRow[] = [
  guardRow(PANGEA, "pangea ai guard input", "input", { input: { recipe: "strict" } }),
  guardRow(PANGEA, "pangea ai guard output", "output"),
  guardRow(CROWDSTRIKE, "crowdstrike aidr guard input", "input"),
  guardRow(CROWDSTRIKE, "crowdstrike aidr guard output", "output"),
];
