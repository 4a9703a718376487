import { createPublicKey, generateKeyPairSync, verify } from "node:crypto";
import { mkdtempSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { describe, expect, it } from "@jest/globals";
import { ConnectTools } from "../../../src/library/http/connect-tools.js";
import { fileToken } from "../../../src/library/gcp-nlp/google-token.js";
import type { SettingProblem } from "../../../src/library/rail-manifest.js";
import { scriptedService } from "../../support/scripted-service.js";

const { privateKey, publicKey } = generateKeyPairSync("rsa", { modulusLength: 2048 });
const PEM = privateKey.export({ type: "pkcs8", format: "pem" }) as string;
const ACCOUNT = { type: "service_account", client_email: "rails@example.org", private_key: PEM };
const LOGIN = { type: "authorized_user", client_id: "id", client_secret: "secret", refresh_token: "refresh" };

async function headersOf(content: string, ...responses: readonly object[]) {
  await using service = await scriptedService();
  service.respond(...responses.map((json) => ({ json })));
  const path = join(mkdtempSync(join(tmpdir(), "google-")), "credentials.json");
  writeFileSync(path, content.replaceAll("<url>", service.url));
  const problems: SettingProblem[] = [];
  const tools = new ConnectTools(
    { report: (problem) => problems.push(problem), section: "gcpnlp", listed: [] },
    "Google",
  );
  const headers = await fileToken(path, tools);
  const fetched: unknown[] = [];
  if (typeof headers === "function" && problems.length === 0) {
    const { signal } = new AbortController();
    for (let count = 0; count < 2; count += 1) fetched.push(await headers(signal));
  }
  const sent = service.requests.map(({ body }) => Object.fromEntries(new URLSearchParams(String(body))));
  return { fetched, problems, sent, url: service.url };
}

describe("fileToken", () => {
  it("signs a claim with the key of a service account, and keeps the token", async () => {
    const account = JSON.stringify({ ...ACCOUNT, token_uri: "<url>/token" });
    const { fetched, sent, url } = await headersOf(account, { access_token: "t1", expires_in: 3600 });
    expect(fetched).toEqual([{ authorization: "Bearer t1" }, { authorization: "Bearer t1" }]);
    expect(sent).toMatchObject([{ grant_type: "urn:ietf:params:oauth:grant-type:jwt-bearer" }]);
    const [head = "", claim = "", signature = ""] = sent[0]?.["assertion"]?.split(".") ?? [];
    const read = (part: string): unknown => JSON.parse(Buffer.from(part, "base64url").toString("utf8"));
    expect(read(head)).toEqual({ alg: "RS256", typ: "JWT" });
    expect(read(claim)).toMatchObject({ iss: "rails@example.org", aud: `${url}/token` });
    const signed = Buffer.from(`${head}.${claim}`);
    const isValid = verify(
      "sha256",
      signed,
      createPublicKey(publicKey.export({ type: "spki", format: "pem" })),
      Buffer.from(signature, "base64url"),
    );
    expect(isValid).toBe(true);
  });

  it("uses the login of a user, and fetches an expired token again", async () => {
    const login = JSON.stringify({ ...LOGIN, token_uri: "<url>" });
    const tokens = [{ access_token: "t1", expires_in: 30 }, { access_token: "t2" }];
    const { fetched, sent } = await headersOf(login, ...tokens);
    expect(fetched).toEqual([{ authorization: "Bearer t1" }, { authorization: "Bearer t2" }]);
    expect(sent[0]).toEqual({
      grant_type: "refresh_token",
      client_id: "id",
      client_secret: "secret",
      refresh_token: "refresh",
    });
  });

  it.each([
    ["no JSON", "{"],
    ["a list", "[]"],
    ["an account without a key", JSON.stringify({ ...ACCOUNT, private_key: "none" })],
    ["an address that is invalid", JSON.stringify({ ...LOGIN, token_uri: "file:///etc/passwd" })],
  ])("reports %s when the configuration loads", async (_, content) => {
    const { problems } = await headersOf(content);
    expect(problems).toHaveLength(1);
    expect(problems[0]?.hint).toEqual(expect.any(String));
    expect(JSON.stringify(problems)).not.toMatch(/secret|passwd|PRIVATE/);
  });
});
