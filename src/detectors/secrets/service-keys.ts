import type { RuleMatch, TextView, TriggerRule } from "../detector.js";
import { entropyOf, isRandomText } from "./entropy.js";
import { isPlaceholder } from "./placeholders.js";

/** Format of the keys of a service that have no fixed part: they are found after the name of the service. */
interface ServiceKey {
  readonly name: string;
  /** Lower-case names of the service. */
  readonly services: readonly string[];
  /** Regular expression of a key. */
  readonly pattern: string;
}

const HEX_32 = "[0-9a-f]{32}";
const HEX_40 = "[0-9a-f]{40}";
const HEX_64 = "[0-9a-f]{64}";
const UUID = "[0-9a-fA-F]{8}(?:-[0-9a-fA-F]{4}){3}-[0-9a-fA-F]{12}";

const SERVICE_KEYS: readonly ServiceKey[] = [
  { name: "aws-secret-access-key", services: ["aws", "amazon", "secretaccesskey"], pattern: "[0-9A-Za-z+/]{40}" },
  {
    name: "azure-key",
    services: ["azure", "cognitive"],
    pattern: `[0-9A-Za-z+/]{43}=|[0-9A-Za-z+/]{86}==|${HEX_32}|[0-9A-Za-z]{84}`,
  },
  { name: "twilio-auth-token", services: ["twilio"], pattern: HEX_32 },
  { name: "heroku-uuid-key", services: ["heroku"], pattern: UUID },
  { name: "cloudflare-key", services: ["cloudflare"], pattern: "[0-9A-Za-z_-]{40}|[0-9a-f]{37}" },
  {
    name: "datadog-key",
    services: ["datadog", "dd_api", "dd_app", "dd-api", "dd-app"],
    pattern: `${HEX_40}|${HEX_32}`,
  },
  { name: "vercel-token", services: ["vercel"], pattern: "[0-9A-Za-z]{24}" },
  { name: "netlify-access-token", services: ["netlify"], pattern: "[0-9A-Za-z_-]{40,46}" },
  { name: "okta-token", services: ["okta"], pattern: "00[0-9A-Za-z_-]{40}" },
  { name: "fastly-token", services: ["fastly"], pattern: "[0-9A-Za-z_-]{32}" },
  { name: "algolia-key", services: ["algolia"], pattern: HEX_32 },
  { name: "cohere-key", services: ["cohere", "co_api_key"], pattern: "[0-9A-Za-z]{40}" },
  {
    name: "mistral-key",
    services: ["mistral", "assemblyai", "together", "fireworks"],
    pattern: `[0-9A-Za-z]{32}|${HEX_64}`,
  },
  { name: "weights-and-biases-key", services: ["wandb", "weights & biases"], pattern: HEX_40 },
  {
    name: "snyk-token",
    services: ["snyk", "postmark", "codacy", "railway", "launchdarkly", "exa_api", "squarespace"],
    pattern: UUID,
  },
  { name: "pagerduty-key", services: ["pagerduty", "pager_duty"], pattern: "[0-9A-Za-z+_-]{20}" },
  { name: "opsgenie-key", services: ["opsgenie"], pattern: UUID },
  { name: "sentry-legacy-token", services: ["sentry"], pattern: HEX_64 },
  { name: "discord-client-secret", services: ["discord"], pattern: `[0-9A-Za-z_-]{32}|${HEX_64}` },
  { name: "facebook-secret", services: ["facebook", "fb_app"], pattern: HEX_32 },
  {
    name: "twitter-secret",
    services: ["twitter"],
    pattern: "[0-9A-Za-z]{50}|[0-9A-Za-z]{45}|\\d{15,25}-[0-9A-Za-z]{40}",
  },
  { name: "linkedin-secret", services: ["linkedin"], pattern: "WPL_AP\\d\\.[0-9A-Za-z.=/+]{16,48}|[0-9A-Za-z]{16}" },
  {
    name: "spotify-secret",
    services: ["spotify", "adafruit", "codecov", "droneci", "bitbucket"],
    pattern: "[0-9A-Za-z]{32}",
  },
  { name: "mailgun-private-key", services: ["mailgun"], pattern: "[0-9a-f]{32}-[0-9a-f]{8}-[0-9a-f]{8}" },
  { name: "ngrok-token", services: ["ngrok"], pattern: "[1-9][0-9A-Za-z]{26}_[0-9A-Za-z]{20,22}" },
  { name: "travis-token", services: ["travis"], pattern: "[0-9A-Za-z_-]{22}" },
  { name: "circleci-key", services: ["circleci", "circle_ci", "circle-token"], pattern: HEX_40 },
  { name: "mixpanel-secret", services: ["mixpanel", "amplitude", "segment"], pattern: `${HEX_32}|[0-9A-Za-z]{32}` },
  { name: "zendesk-token", services: ["zendesk"], pattern: "[0-9A-Za-z]{40}" },
  { name: "intercom-token", services: ["intercom"], pattern: "[0-9A-Za-z+/]{59}=" },
  { name: "atlassian-legacy-token", services: ["atlassian", "jira", "confluence"], pattern: "[0-9A-Za-z]{24}" },
  { name: "coinbase-key", services: ["coinbase"], pattern: "[0-9A-Za-z_-]{64}" },
  { name: "alchemy-key", services: ["alchemy", "infura"], pattern: `[0-9A-Za-z_-]{32}` },
  { name: "plaid-secret", services: ["plaid"], pattern: "[0-9a-f]{30}" },
  { name: "paypal-secret", services: ["paypal"], pattern: "E[0-9A-Za-z_-]{79}" },
  {
    name: "rapidapi-key",
    services: ["rapidapi", "x-rapidapi"],
    pattern: "[0-9A-Za-z]{50}|[0-9a-z]{10}msh[0-9a-z]{15}p1[0-9a-z]{6}jsn[0-9a-z]{12}",
  },
  { name: "dropbox-secret", services: ["dropbox"], pattern: "[0-9a-z]{15}|[0-9A-Za-z]{11}A{10}[0-9A-Za-z_=-]{43}" },
  { name: "alibaba-secret", services: ["alibaba", "aliyun"], pattern: "[0-9A-Za-z]{30}" },
  { name: "tencent-secret-key", services: ["tencent"], pattern: "[0-9A-Za-z]{32}" },
  { name: "ibm-cloud-key", services: ["ibm"], pattern: "[0-9A-Za-z_-]{44}" },
  { name: "auth0-secret", services: ["auth0"], pattern: "[0-9A-Za-z_-]{64}" },
  { name: "sumologic-key", services: ["sumo"], pattern: "[0-9A-Za-z]{64}" },
  { name: "mapbox-key", services: ["mapbox", "typesense", "meilisearch"], pattern: "[0-9A-Za-z]{32,64}" },
];

/** A word between the service and the value says that it is a credential; `id` or `hash` alone do not. */
const CREDENTIAL = /key|token|secret|passw|credential|auth|bearer|sid\b|pwd/;
const GAP = 64;
const LONGEST = 128;

/** Rules for keys that stand after the name of their service. */
export function serviceKeyRules(isAllowed: (value: string) => boolean): readonly TriggerRule[] {
  return SERVICE_KEYS.map(({ name, services, pattern }) => {
    const value = new RegExp(`(?<![0-9A-Za-z_+/-])(?:${pattern})(?![0-9A-Za-z_+/=-])`);
    const find = ({ text, folded }: TextView, start: number, end: number): RuleMatch | undefined => {
      const found = value.exec(text.slice(end, end + GAP + LONGEST));
      if (found === null || found.index > GAP) return undefined;
      const [key] = found;
      if (!CREDENTIAL.test(folded.slice(start, end + found.index)) || !isRandom(key) || isAllowed(key))
        return undefined;
      return { start: end + found.index, end: end + found.index + key.length };
    };
    return { name, type: "SECRET", score: 0.85, triggers: services, before: 0, find };
  });
}

function isRandom(key: string): boolean {
  return entropyOf(key) >= Math.min(3, Math.log2(key.length) * 0.7) && isRandomText(key) && !isPlaceholder(key);
}
