import { describe, expect, it } from "@jest/globals";
import { ConfigError } from "../../../src/diagnostics/errors.js";
import { Scanner, secrets, type SecretsOptions, textOf } from "../../../src/detectors/index.js";
import { base62, crc32 } from "../../../src/detectors/secrets/checksums.js";
import { KEY_FORMATS } from "../../../src/detectors/secrets/key-formats.js";
import { sampleCharacters, samplePattern } from "../../../src/eval/samples/sample-pattern.js";
import { createRandom } from "../../../src/retrieval/matcher/random.js";

// Keys are put together here from parts, so that scanners of code hosts find none in this file.
const LOWER = "abcdefghijklmnopqrstuvwxyz";
const DIGITS = "0123456789";
const HEX = "0123456789abcdef";
const LETTERS = DIGITS + LOWER + LOWER.toUpperCase();
const scanner = new Scanner([secrets()]);

const random = createRandom(7);
const characters = (alphabet: string, length: number): string => sampleCharacters(alphabet, length, random);

function withBase62Checksum(prefix: string, body: string): string {
  return prefix + body + base62(crc32(body));
}

function withGrafanaChecksum(body: string): string {
  const sum = crc32(body).toString(16).padStart(8, "0").match(/../g) ?? [];
  return `${body}_${sum.reverse().join("")}`;
}

const rulesIn = (text: string): readonly string[] => scanner.scan(text).map(({ rule }) => rule);
const found = (text: string): readonly string[] => scanner.scan(text).map((finding) => textOf(finding, text));

const CHECKED: Readonly<Record<string, (key: string) => string>> = {
  "github-token": (key) => withBase62Checksum(key.slice(0, 4), key.slice(4, 34)),
  "npm-token": (key) => withBase62Checksum("npm_", key.slice(4, 34)),
  "grafana-service-token": (key) => withGrafanaChecksum(key.slice(0, 37)),
};

const PLACES: readonly (readonly [string, (key: string) => string])[] = [
  ["prose", (key) => `My key is ${key}, please keep it.`],
  ["the end of a sentence", (key) => `Use ${key}.`],
  ["an environment file", (key) => `# settings\nAPI_KEY=${key}\nDEBUG=1\n`],
  ["JSON", (key) => JSON.stringify({ name: "app", key }, undefined, 2)],
  ["JSON in JSON", (key) => JSON.stringify(JSON.stringify({ log: `first\n${key}\n` }))],
  ["YAML", (key) => `service:\n  key: '${key}'\n`],
  ["Markdown", (key) => `the key **${key}** or \`${key}\``],
  ["a query", (key) => `https://api.example.org/v1?a=1&key=${key}`],
];

describe("key formats", () => {
  const formats = KEY_FORMATS.filter(({ name }) => !name.startsWith("discord-bot-token") && name !== "airtable-key");

  it("has at least 120 families with separate names", () => {
    expect(new Set(KEY_FORMATS.map(({ name }) => name)).size).toBe(KEY_FORMATS.length);
    expect(KEY_FORMATS.length).toBeGreaterThan(180);
  });

  it.each(formats.map((format) => [format.name, format] as const))("finds %s in every place", (name, { pattern }) => {
    const missed: string[] = [];
    for (let turn = 0; turn < 5; turn++) {
      // Scanned together, since a scan of a short text is mostly preparation.
      const texts = PLACES.map(([place, write]) => {
        const sample = samplePattern(pattern, random);
        const key = CHECKED[name]?.(sample) ?? sample;
        return { place, key, text: write(key) };
      });
      const values = found(texts.map(({ text }) => text).join("\n\n"));
      for (const { place, key } of texts) {
        if (!values.some((value) => value.includes(key))) missed.push(`${place}: ${key}`);
      }
    }
    expect(missed).toEqual([]);
  });

  it.each([
    ["github-token", withBase62Checksum("ghp_", characters(LETTERS, 30))],
    ["npm-token", withBase62Checksum("npm_", characters(LETTERS, 30))],
    ["grafana-service-token", withGrafanaChecksum(`glsa_${characters(LETTERS, 32)}`)],
    [
      "discord-bot-token-24",
      `${btoa(characters("123456789", 18))}.${characters(LETTERS, 6)}.${characters(LETTERS, 27)}`,
    ],
    ["airtable-key", `key${characters(LETTERS, 14)}`, "airtable "],
    ["url-with-password", `postgres://ada:${characters(LETTERS, 12)}@db.example.org`],
    [
      "private-key",
      `-----BEGIN EC ${"PRIVATE"} KEY-----\n${characters(LETTERS, 64)}\n-----END EC ${"PRIVATE"} KEY-----`,
    ],
    [
      "json-web-token",
      `${btoa('{"alg":"HS256"}')}.${btoa('{"sub":"ada"}').replaceAll("=", "")}.${characters(LETTERS, 43)}`,
    ],
  ])("finds %s as a whole", (rule, key, before = "") => {
    const text = `${before}see ${key} there`;
    expect(scanner.scan(text)).toEqual([
      expect.objectContaining({ type: "SECRET", rule, start: 4 + before.length, end: 4 + before.length + key.length }),
    ]);
  });

  it.each([
    ["a GitHub token", `ghp_${characters(LETTERS, 36)}`],
    ["an npm token", `npm_${characters(LETTERS, 36)}`],
    ["a Grafana token", `glsa_${characters(LETTERS, 32)}_${characters(HEX, 8)}`],
    ["a web token", `eyJ${characters(LETTERS, 33)}.${characters(LETTERS, 40)}.${characters(LETTERS, 43)}`],
    ["an age key with a wrong character", `AGE-SECRET-KEY-1${"B".repeat(58)}`],
  ])("finds nothing in %s with a wrong check", (_name, key) => {
    expect([found(`see ${key} there`), found(`API_KEY=${key}`), found(`{"token":"${key}"}`)]).toEqual([[], [], []]);
  });
});

describe("forms of keys of one service", () => {
  it.each([
    ["github-refresh-token", `ghr_${characters(LETTERS, 76)}`],
    ["gitlab-token", `glpat-${characters(LETTERS, 27)}.01.${characters(LOWER, 9)}`],
    ["google-oauth-token", `ya29.c.${characters(LETTERS, 120)}`],
    ["twitter-bearer-token", `${"A".repeat(22)}${characters(LETTERS, 30)}%3D${characters(LETTERS, 40)}`],
    ["azure-account-key", `${characters(LETTERS, 76)}+ASt${characters(LETTERS, 6)}==`],
    ["vault-legacy-token", `s.${characters(LETTERS, 24)}`],
    ["mollie-key", `live_${characters(LETTERS, 30)}`],
  ])("finds %s %s", (name, key) => {
    expect(rulesIn(`My key is ${key}, please keep it.`)).toEqual([name]);
  });

  it.each([
    "s.getUserAccountInformation",
    "test_shouldReturnTheCorrectValueNow",
    "as-getUserAccountServiceKey",
    "db-indexResultHandlerNameSaveCreate",
    "A".repeat(100),
  ])("does not mistake a program name for a key: %s", (name) => {
    expect(found(`see ${name} there`)).toEqual([]);
  });
});

describe("assignments", () => {
  const value = characters(LETTERS, 24);
  const hex = characters(HEX, 32);

  it.each([
    `API_KEY=${hex}`,
    `"apiKey": "${value}"`,
    `secret_key: ${value}`,
    `const token = '${value}';`,
    `client_secret => "${value}"`,
    `<add key="ApiKey" value="${value}"/>`,
    `setApiKey("${value}")`,
    `tool --api-key ${value}`,
    `The API key is ${value}`,
    `my access token: ${value}`,
    `The API key "${value}" has expired`,
    `DD_API_KEY=${hex}`,
    `"datadogApiKey": "${hex}"`,
    `Authorization: Bearer ${value}`,
    `Authorization: Basic ${btoa("ada:k3x9vQp2")}`,
    "DB_PASSWORD=s3cr3tP@ss!",
    "password: Tr0ub4dor&3",
    "my password is Hx7!kq9z",
    "Server=db;Uid=sa;Pwd=k3x9vQp2!;",
    `AWS_SECRET_ACCESS_KEY=${characters(LETTERS, 38)}/+`,
    `my Datadog API key is ${hex}`,
    "HEROKU_API_KEY=8f14e45f-ceea-467f-9575-1b2c3d9e5f60",
  ])("finds the value in %s", (text) => {
    expect(found(text)).toHaveLength(1);
  });

  it.each([
    `<api_key>${value}</api_key>`,
    `| API key | ${value} | admin |`,
    `|api_key|${value}|`,
    `**API key:** ${value}`,
    `**API key**: ${value}`,
    `API key: **${value}**`,
    `api_key → ${value}`,
    `api_key - ${value}`,
    String.raw`{\"api_key\":\"${value}\"}`,
    `GET /v1?api_key=${value}&page=2`,
    `const apiKey: string = "${value}"`,
    `api_key «${value}»`,
    `我的api_key是${value}`,
    `我的api key：${value}`,
    `あなたのapi_keyは${value}`,
    `รหัสapi_key: ${value}`,
    `{"name":"API_KEY","value":"${value}"}`,
    `{"Name": "API_KEY", "Value": "${value}"}`,
    `{"key":"api_key","type":"string","value":"${value}"}`,
    String.raw`{\"name\":\"API_KEY\",\"value\":\"${value}\"}`,
    `Der API key lautet ${value}`,
  ])("finds the value alone in %s", (text) => {
    expect(found(text)).toEqual([value]);
  });

  it.each([
    "Contraseña: Hx7!kq9z",
    "la contraseña es Hx7!kq9z",
    "Mot de passe : Hx7!kq9z",
    "Kennwort: Hx7!kq9z",
    "wachtwoord=Hx7!kq9z",
    "hasło: Hx7!kq9z",
    "пароль: Hx7!kq9z",
    "密码：Hx7!kq9z",
    "密码是Hx7!kq9z",
    "パスワードはHx7!kq9z",
    "비밀번호는 Hx7!kq9z",
    '{"senha":"Hx7!kq9z"}',
  ])("finds the password in %s", (text) => {
    expect(found(text)).toEqual(["Hx7!kq9z"]);
  });

  it("keeps an escape before a connection string", () => {
    const text = String.raw`"url:\npostgres://ada:k3x9vQp2@db.example.org/app"`;
    expect(found(text)).toEqual(["postgres://ada:k3x9vQp2@db.example.org"]);
  });

  it.each([
    "API_KEY=your-api-key",
    `API_KEY=${"x".repeat(24)}`,
    "API_KEY=<TOKEN>",
    "token: ${VAR}",
    "const key = process.env.API_KEY",
    'api_key=os.environ["OPENAI_API_KEY"]',
    `AKIA${"IOSFODNN7EXAMPLE"}`,
    `"integrity": "sha512-${characters(LETTERS, 86)}=="`,
    `commit ${characters(HEX, 40)}`,
    `request id 8f14e45f-ceea-467f-9575-1b2c3d9e5f60`,
    "API_KEY=8f14e45f-ceea-467f-9575-1b2c3d9e5f60",
    "password: required",
    "password: required|string|min:8",
    '{"name":"password","value":"required"}',
    '{"name":"password","type":"text8","label":"Value9"}',
    "password is incorrect",
    "| Password | required |",
    "| token | the token of the user |",
    "<password>required</password>",
    "**Password:** at least 8 characters",
    "la contraseña es incorrecta",
    "пароль: обязательно",
    "My password is too short and needs 8 characters",
    'password = input("Password: ")',
    "token = getToken(user)",
    "token: Token.Identifier2",
    'tokenType: "access_token_v2"',
    "max_tokens: 4096",
    "secretName: my-app-secret-2024-prod",
    "postgres://postgres:postgres@localhost/db",
    "https://user:pass@example.com",
    "postgres://${USER}:${PASS}@host",
    `-----BEGIN ${"PRIVATE"} KEY-----\n...\n-----END ${"PRIVATE"} KEY-----`,
    "The token is invalid, and the key is under the mat.",
  ])("finds nothing in %s", (text) => {
    expect(rulesIn(text)).toEqual([]);
  });
});

describe("secrets", () => {
  const key = `sk_live_${characters(LETTERS, 24)}`;

  it.each([
    ["include", secrets({ include: ["github-token"] }), []],
    ["exclude", secrets({ exclude: ["stripe-key"] }), []],
    ["allow", secrets({ allow: [key] }), []],
    ["no option", secrets(), ["stripe-key"]],
  ])("reads %s", (_option, detector, expected) => {
    expect(new Scanner([detector]).scan(`see ${key}`).map(({ rule }) => rule)).toEqual(expected);
  });

  it.each([
    [{ include: ["git-hub-token"] }, /unknown name `git-hub-token`.*did you mean `github-token`/s],
    [{ include: [] }, /empty list/],
    [{ entropy: 9 }, /expected a number from 1 to 6, got `9`/],
    [{ families: [] }, /unknown option `families` of `secrets`/],
  ])("refuses %j", (options, message) => {
    expect(() => secrets(options as SecretsOptions)).toThrow(message);
    expect(() => secrets(options as SecretsOptions)).toThrow(ConfigError);
  });

  it.each([
    ["triggers", "sk-sk_live_eyJ.eyJ xoxb-"],
    ["headers", `-----BEGIN ${"PRIVATE"} KEY-----`],
    ["services", "twilio datadog aws "],
    ["assignments", "password=api_key:token="],
    ["URLs", "a://b:c"],
    ["dots", "M.a.b."],
  ])("reads 200 kB of %s without findings or delay", (_name, part) => {
    const text = part.repeat(Math.ceil(200_000 / part.length));
    expect(scanner.scan(text).length).toBeLessThan(10);
  });

  it("accepts lone surrogates and NUL", () => {
    expect(found(`\u{d800}\0 ${key}\u{dc00}`)).toEqual([key]);
  });
});
