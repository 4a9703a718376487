import type { ConnectTools } from "../http/connect-tools.js";
import type { Connection } from "../http/send-request.js";
import { sendRequest } from "../http/send-request.js";
import { Reply } from "../http/reply.js";
import { systemClock } from "../../engine/events.js";

const SCOPE = "https://www.googleapis.com/auth/cloud-language";
const TOKEN_ADDRESS = "https://oauth2.googleapis.com/token";

/** A token is fetched again this long before it ends. */
const MARGIN_MS = 60_000;
const HOUR_S = 3_600;

type Fields = Readonly<Record<string, unknown>>;

/**
 * Returns the function that fetches headers with an access token, by a file of Google's credentials: a service account, or a
 * user that has logged in with `gcloud auth application-default login`. Tokens are kept until shortly before they end.
 */
export async function fileToken(path: string, tools: ConnectTools): Promise<Connection["headers"]> {
  const fields = await readFields(path);
  const grant = fields === undefined ? undefined : grantOf(fields);
  if (fields === undefined || grant === undefined) {
    const message =
      "the file in `GOOGLE_APPLICATION_CREDENTIALS` does not hold a service account or the login of a user";
    tools.report({ path: [], code: "CF-113", message, hint: "download a key of a service account as JSON" });
    return {};
  }
  const url = tools.address(textIn(fields, "token_uri") ?? TOKEN_ADDRESS, [], "use the file as Google made it");
  let known: { readonly token: string; readonly endsAt: number } | undefined;
  return async (signal) => {
    if (known === undefined || known.endsAt - MARGIN_MS < systemClock.now()) {
      const connection = { service: "Google", action: "google_token", headers: {}, timeoutMs: 30_000, retries: 2 };
      const reply = new Reply(
        await sendRequest(connection, { url, body: new URLSearchParams(await grant(url)) }, signal),
      );
      const seconds = reply.at("expires_in").optional?.number() ?? HOUR_S;
      known = { token: reply.at("access_token").text(), endsAt: systemClock.now() + seconds * 1000 };
    }
    return { authorization: `Bearer ${known.token}` };
  };
}

async function readFields(path: string): Promise<Fields | undefined> {
  try {
    const { readFile } = await import("node:fs/promises");
    const fields: unknown = JSON.parse(await readFile(path, "utf8"));
    return typeof fields === "object" && fields !== null ? (fields as Fields) : undefined;
  } catch {
    return undefined;
  }
}

function textIn(fields: Fields, name: string): string | undefined {
  const value = Object.hasOwn(fields, name) ? fields[name] : undefined;
  return typeof value === "string" ? value : undefined;
}

/** Parameters of the request for a token. */
function grantOf(fields: Fields): ((audience: string) => Promise<Record<string, string>>) | undefined {
  const text = (name: string): string => textIn(fields, name) ?? "";
  if (text("type") === "authorized_user" && text("refresh_token") !== "") {
    const login = { client_id: text("client_id"), client_secret: text("client_secret") };
    return () => Promise.resolve({ ...login, grant_type: "refresh_token", refresh_token: text("refresh_token") });
  }
  const [issuer, key] = [text("client_email"), text("private_key")];
  if (issuer === "" || !key.includes("BEGIN PRIVATE KEY")) return undefined;
  return async (audience) => ({
    grant_type: "urn:ietf:params:oauth:grant-type:jwt-bearer",
    assertion: await signedClaim({ iss: issuer, aud: audience, scope: SCOPE }, key),
  });
}

async function signedClaim(claim: Readonly<Record<string, string>>, privateKey: string): Promise<string> {
  const now = Math.floor(systemClock.now() / 1000);
  const parts = [
    { alg: "RS256", typ: "JWT" },
    { ...claim, iat: now, exp: now + HOUR_S },
  ].map((part) => base64Url(new TextEncoder().encode(JSON.stringify(part))));
  const der = Uint8Array.from(atob(privateKey.replace(/-----[A-Z ]{1,40}-----|\s/g, "")), (character) =>
    character.charCodeAt(0),
  );
  const algorithm = { name: "RSASSA-PKCS1-v1_5", hash: "SHA-256" };
  const key = await crypto.subtle.importKey("pkcs8", der, algorithm, false, ["sign"]);
  const signed = await crypto.subtle.sign(algorithm.name, key, new TextEncoder().encode(parts.join(".")));
  return [...parts, base64Url(new Uint8Array(signed))].join(".");
}

function base64Url(bytes: Uint8Array): string {
  const text = Array.from(bytes, (byte) => String.fromCharCode(byte)).join("");
  return btoa(text)
    .replaceAll("+", "-")
    .replaceAll("/", "_")
    .replace(/={0,2}$/, "");
}
