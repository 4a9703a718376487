/** Version of the format, part of keys and values. */
const FORMAT = "langchain-guardrails verdict 1";

/** Bytes of the initialization vector of AES-GCM. */
const IV_BYTES = 12;

/** A decrypted reply. */
interface OpenedReply {
  readonly reply: string;
  /** Expiry in milliseconds since 1970-01-01 UTC. */
  readonly until: number;
}

/**
 * Encrypts and authenticates replies with a secret: a key is an HMAC, a value is encrypted and bound to its key (AES-256-GCM). The
 * reply of a judge may quote the checked text, so the store must not read it.
 */
export class SealedReplies {
  readonly #keys: Promise<{ readonly names: CryptoKey; readonly vectors: CryptoKey; readonly values: CryptoKey }>;

  constructor(secret: string) {
    this.#keys = deriveKeys(secret);
    // The first use reports a failure.
    this.#keys.catch(() => undefined);
  }

  /** Returns the key for all values that a reply depends on. */
  async keyOf(parts: string): Promise<string> {
    return toBase64(await sign((await this.#keys).names, parts));
  }

  async seal(key: string, { reply, until }: OpenedReply): Promise<string> {
    const { vectors, values } = await this.#keys;
    const plain = JSON.stringify([until, reply]);
    // The vector is derived from the encrypted data, so only equal values share one.
    const iv = (await sign(vectors, `${key}\n${plain}`)).slice(0, IV_BYTES);
    const sealed = await crypto.subtle.encrypt({ ...cipher(iv, key) }, values, new TextEncoder().encode(plain));
    return toBase64(new Uint8Array([...iv, ...new Uint8Array(sealed)]));
  }

  /** Decrypts a value; returns undefined if it was not encrypted for this key with this secret. */
  async open(key: string, value: string): Promise<OpenedReply | undefined> {
    try {
      const bytes = Uint8Array.from(atob(value), (character) => character.charCodeAt(0));
      const { values } = await this.#keys;
      const iv = bytes.slice(0, IV_BYTES);
      const plain = await crypto.subtle.decrypt({ ...cipher(iv, key) }, values, bytes.slice(IV_BYTES));
      const [until, reply] = JSON.parse(new TextDecoder().decode(plain)) as readonly unknown[];
      return typeof until === "number" && typeof reply === "string" ? { reply, until } : undefined;
    } catch {
      return undefined;
    }
  }
}

function cipher(iv: Uint8Array<ArrayBuffer>, key: string): AesGcmParams {
  return { name: "AES-GCM", iv, additionalData: new TextEncoder().encode(`${FORMAT}\n${key}`) };
}

/** Derives a key for each use from the secret. */
async function deriveKeys(secret: string) {
  const hash = { name: "HMAC", hash: "SHA-256" };
  const bytes = new TextEncoder().encode(secret);
  const root = await crypto.subtle.importKey("raw", bytes, hash, false, ["sign"]);
  const of = (use: string): Promise<Uint8Array<ArrayBuffer>> => sign(root, `${FORMAT} ${use}`);
  const [names, vectors, values] = await Promise.all([of("names"), of("vectors"), of("values")]);
  return {
    names: await crypto.subtle.importKey("raw", names, hash, false, ["sign"]),
    vectors: await crypto.subtle.importKey("raw", vectors, hash, false, ["sign"]),
    values: await crypto.subtle.importKey("raw", values, "AES-GCM", false, ["encrypt", "decrypt"]),
  };
}

async function sign(key: CryptoKey, text: string): Promise<Uint8Array<ArrayBuffer>> {
  return new Uint8Array(await crypto.subtle.sign("HMAC", key, new TextEncoder().encode(text)));
}

function toBase64(bytes: Uint8Array): string {
  return btoa(String.fromCharCode(...bytes));
}
