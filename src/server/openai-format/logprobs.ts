import { isObject, type PlainObject } from "../../langchain/values/message-kinds.js";
import type { UnchangedDetails } from "../upstream/exchange.js";

/** Maximum length of an alternative in characters, and of a token in bytes. */
const MAX_TOKEN = 128;
const MAX_BYTES = 512;

/** A token with matching text and bytes. */
interface Token {
  readonly token: string;
  readonly logprob: number;
  readonly bytes: readonly number[] | null;
}

/**
 * Returns the log probabilities of a response that the rails left unchanged. INVARIANT: their tokens are exactly the released
 * text, so they contain no text that rails have not checked; alternatives are single tokens.
 */
export function logprobsOf({ logprobs }: UnchangedDetails, text: string): object | null {
  if (!isObject(logprobs) || !Array.isArray(logprobs["content"])) return null;
  const content = logprobs["content"].filter(isObject);
  const tokens = content.map(readToken);
  if (spelledBy(tokens) !== text) return null;
  return {
    content: tokens.map((token, index) => ({ ...token, top_logprobs: alternativesOf(content[index] as PlainObject) })),
    refusal: null,
  };
}

const decoder = new TextDecoder("utf-8", { ignoreBOM: true });

const decode = (bytes: readonly number[]): string => decoder.decode(Uint8Array.from(bytes));

function spelledBy(tokens: readonly Token[]): string {
  // A character may span several tokens, so only their joined bytes decode to it.
  const bytes = tokens.map((token) => token.bytes);
  if (bytes.every((byte) => byte !== null)) return decode(bytes.flat());
  return tokens.map(({ token }) => token).join("");
}

function readToken({ token, logprob, bytes }: PlainObject): Token {
  const known = { logprob: typeof logprob === "number" ? logprob : 0 };
  if (!isBytes(bytes)) return { token: typeof token === "string" ? token : "", ...known, bytes: null };
  return { token: textOfBytes(bytes), ...known, bytes };
}

function isBytes(bytes: unknown): bytes is number[] {
  if (!Array.isArray(bytes) || bytes.length > MAX_BYTES) return false;
  return bytes.every((byte) => Number.isInteger(byte) && byte >= 0 && byte <= 255);
}

/** Returns the text of a token. OpenAI escapes the bytes of tokens that contain a part of a character. */
function textOfBytes(bytes: readonly number[]): string {
  const text = decode(bytes);
  if (!text.includes("\ufffd")) return text;
  const escaped = bytes.map((byte) =>
    byte >= 0x20 && byte < 0x7f ? String.fromCharCode(byte) : `\\x${byte.toString(16).padStart(2, "0")}`,
  );
  return `bytes:${escaped.join("")}`;
}

function alternativesOf({ top_logprobs: alternatives }: PlainObject): readonly Token[] {
  if (!Array.isArray(alternatives)) return [];
  return alternatives
    .filter((entry): entry is PlainObject => isObject(entry) && typeof entry["token"] === "string")
    .map(readToken)
    .filter(({ token }) => token.length <= MAX_TOKEN)
    .slice(0, 20);
}
