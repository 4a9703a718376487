import { type RiskKinds, scoreVerdict } from "../http/score-verdict.js";
import { serviceCode, type ServiceAddress } from "../http/service-code.js";
import type { ConnectTools } from "../http/connect-tools.js";
import { fileToken } from "./google-token.js";

interface GoogleSettings {
  readonly server_endpoint: string | null;
  readonly api_key_env_var: string | null;
  readonly access_token_env_var: string | null;
}

const CATEGORIES: RiskKinds = [
  ["Toxic", "abuse", 0.8],
  ["Insult", "abuse", 0.7],
  ["Profanity", "abuse", 0.6],
  ["Derogatory", "abuse", 0.4],
  ["Violent", "abuse", 0.8],
  ["Sexual", "inappropriate", 0.7],
  ["Death, Harm & Tragedy", "inappropriate", 0.8],
  ["Firearms & Weapons", "inappropriate", 0.8],
  ["Illicit Drugs", "sensitive", 0.8],
  ["Public Safety", "sensitive", 0.8],
  ["Health", "sensitive", 0.8],
  ["Religion & Belief", "sensitive", 0.8],
  ["War & Conflict", "sensitive", 0.8],
  ["Politics", "sensitive", 0.8],
  ["Finance", "sensitive", 0.8],
  ["Legal", "sensitive", 0.8],
];

/** Greatest confidence in a category that passes the simple flow. */
const THRESHOLD = 0.8;

export const { actions, prepare } = serviceCode<GoogleSettings>({
  rail: "gcp-nlp",
  title: "Google Cloud Natural Language",
  async connect(settings, tools) {
    const url = tools.address(settings.server_endpoint, ["server_endpoint"], "leave it out for the default");
    return { url, ...(await credentials(settings, tools)) };
  },
  async ask({ text, ask, post }) {
    const reply = await post("", { document: { type: "PLAIN_TEXT", content: text } });
    const scores = new Map(
      reply
        .at("moderationCategories")
        .items()
        .map((category) => [category.at("name").text(), category.at("confidence").optional?.ratio() ?? 0] as const),
    );
    // The service responds with all categories.
    if (scores.size === 0) return reply.at("moderationCategories").fail("a list with categories");
    return scoreVerdict(scores, ask === "detailed" ? CATEGORIES : THRESHOLD);
  },
});

/** Returns the first of an API key, an access token and a credentials file that is set. */
async function credentials(
  { api_key_env_var: keyName, access_token_env_var: tokenName }: GoogleSettings,
  tools: ConnectTools,
): Promise<Pick<ServiceAddress, "headers" | "secrets">> {
  const key = keyName === null ? tools.keyIfSet("GOOGLE_API_KEY") : tools.key(keyName, ["api_key_env_var"]);
  if (key !== undefined) return { headers: { "x-goog-api-key": key }, secrets: [key] };
  const token =
    tokenName === null ? tools.keyIfSet("GOOGLE_ACCESS_TOKEN") : tools.key(tokenName, ["access_token_env_var"]);
  if (token !== undefined) return { headers: { authorization: `Bearer ${token}` }, secrets: [token] };
  const path = tools.variable("GOOGLE_APPLICATION_CREDENTIALS");
  if (path !== undefined) return { headers: await fileToken(path, tools) };
  const message = "there is no API key, no access token and no file with credentials for Google Cloud";
  const hint = "set `GOOGLE_API_KEY`, `GOOGLE_ACCESS_TOKEN` or `GOOGLE_APPLICATION_CREDENTIALS`";
  tools.report({ code: "CF-113", path: [], message, hint });
  return {};
}
