import { InputShapeError } from "../../diagnostics/errors.js";
import { attempt, visitParts } from "../../engine/walk.js";
import { spelledBy } from "../../turn/redact-data.js";

/**
 * Returns the replacement for a text.
 *
 * @param isGuess - true for bytes of a format that is no text: a reader may find more in them
 */
export type MapText = (text: string, isGuess?: boolean) => string;

type Block = Readonly<Record<string, unknown>>;

/** Types, MIME types and keys of blocks with images, audio or files. */
const MEDIA_TYPES: readonly (readonly [RegExp, string])[] = [
  [/image|photo|picture/i, "image"],
  [/audio|sound/i, "audio"],
  [/video/i, "video"],
  [/file|document|text-plain|container_upload|inlineData/i, "file"],
];

/** Types that hold media of any kind: the MIME type gives the kind. */
const ANY_MEDIA = new Set(["media", "inlineData", "fileData"]);

/** MIME types of files may also name images: `application/vnd.oasis.opendocument.image`. */
const MEDIA_MIME = /^(?:image|audio|video)\//i;

/** Formats that models do not read as text, whatever their bytes are. */
const BINARY_MIME = /^(?:(?:image|audio|video)\/|application\/pdf\b)/i;

/** Returns true for a kind that a provider defines; other kinds are types of unknown blocks. */
export function isMediaKind(kind: string): boolean {
  return MEDIA_TYPES.some(([, known]) => known === kind);
}

const MAX_TYPE = 40;

/** Returns true for a text of several words; names and codes are single words. */
export function isSentence(text: string): boolean {
  return /\S\s+\S/.test(text);
}

/** A response has thousands of tokens, with up to 20 alternatives each. */
const MAX_TOKENS = { depth: 8, values: 1_000_000 };

/**
 * Visits the texts that the log probabilities of a response spell, and sentences in them; single alternatives are codes.
 *
 * @returns false if a text changes
 * @throws InputShapeError if there are too many
 */
export function visitTokens(value: object, visit: MapText): boolean {
  const texts = new Set<string>();
  const read = (part: unknown, key: string | undefined): boolean => {
    if (Array.isArray(part) && key !== "top_logprobs") for (const parts of spelledBy(part)) texts.add(parts.join(""));
    for (const text of [part, key]) if (typeof text === "string" && isSentence(text)) texts.add(text);
    return key !== "bytes";
  };
  if (!visitParts(value, read, MAX_TOKENS))
    throw new InputShapeError("expected log probabilities of fewer tokens, got too many to be checked");
  return [...texts].every((text) => visit(text) === text);
}

/** Least length of encrypted data, in characters; shorter words are read as texts. */
const LEAST_ENCRYPTED = 32;

/** Returns true for bytes, or one word of Base64, that are no text. */
export function isEncrypted(data: unknown): boolean {
  const bytes = typeof data === "string" ? bytesOfBase64(data) : data;
  if (!(bytes instanceof Uint8Array)) return false;
  return attempt(() => new TextDecoder("utf-8", { fatal: true }).decode(bytes)) === undefined;
}

/** Returns the bytes of a long word of Base64, in its usual form or for addresses; undefined for any other text. */
function bytesOfBase64(text: string): Uint8Array | undefined {
  if (text.length < LEAST_ENCRYPTED || !/^[\w+/-]+={0,2}$/.test(text)) return undefined;
  // Words that are joined by hyphens have few of these.
  if (!/[a-z]/.test(text) || !/[A-Z]/.test(text) || !/\d/.test(text)) return undefined;
  const plain = text.replaceAll("-", "+").replaceAll("_", "/");
  return attempt(() => Uint8Array.from(atob(plain), (unit) => unit.charCodeAt(0)));
}

/** Place of a part in a message. */
interface MediaPlace {
  readonly path: readonly (string | number)[];
  /** Types of its block and of those around it, outermost first. */
  readonly types: readonly string[];
}

/** Returns `image`, `audio`, `video` or `file`, else the type of the block. */
export function mediaKind(block: Block, { path, types }: MediaPlace): string {
  const declaredType = types.at(-1) ?? "";
  // A `source` has the type of an address; the block around it says what is there.
  const isSource = path.at(-2) === "source";
  const mime = [block["mimeType"], block["mime_type"], block["media_type"]].filter(
    (name) => typeof name === "string" && MEDIA_MIME.test(name),
  );
  const outer = [...types.slice(0, -1).toReversed(), ...path.toReversed()];
  const names = [...(isSource || ANY_MEDIA.has(declaredType) ? [] : [declaredType]), ...mime, ...outer];
  for (const name of names) {
    const known = MEDIA_TYPES.find(([pattern]) => typeof name === "string" && pattern.test(name));
    if (known !== undefined) return known[1];
  }
  if (ANY_MEDIA.has(declaredType)) return "file";
  return declaredType === "" ? "unknown" : declaredType.slice(0, MAX_TYPE);
}

const DATA_URL = /^\s*data:([^;,]*)((?:;[^;,]*)*),/i;

/** Returns true for an address that holds its data. */
export function isDataUrl(place: string): boolean {
  return /^\s*data:/i.test(place);
}

/** Images, models and the like in text formats, such as SVG. */
const TEXT_SUFFIX = /\+(?:xml|json|yaml)\b|^image\/svg/;

const TEXT_APPLICATIONS = /^application\/.*(?:json|xml|yaml|javascript|typescript|sql|csv|rtf|x-sh)/;

/** Maps `data` if it is a text file, usually in base64. Bytes of other files are unchanged. */
export function mapData(block: Block, data: string, map: MapText): string {
  if (block["type"] === "text") return map(data);
  if (isDataUrl(data)) return mapPlace(data, map);
  const mime = mimeOf(block);
  if (mime === undefined) return mapBase64(data, map, true);
  // Bytes are a single word, whatever their format.
  return isSentence(data) && !isTextMime(mime) ? map(data) : mapTyped(data, mime, map);
}

/** Maps Base64 of a text format, and of another one that is not of media if its bytes are a text all the same. */
function mapTyped(data: string, mime: string, map: MapText): string {
  if (isTextMime(mime)) return mapBase64(data, map);
  return BINARY_MIME.test(mime) ? data : mapBase64(data, (text) => map(text, true), true);
}

export function mapBytes(block: Block, bytes: ArrayBufferView, map: MapText): ArrayBufferView {
  const mime = mimeOf(block);
  const isText = mime !== undefined && isTextMime(mime);
  if (mime !== undefined && BINARY_MIME.test(mime) && !isText) return bytes;
  const before = attempt(() => readText(bytes as Uint8Array, !isText));
  if (before === undefined) return bytes;
  const after = map(before, mime !== undefined && !isText);
  return after === before ? bytes : new TextEncoder().encode(after);
}

/** Least length of Base64 in the place of an address; shorter words are ids. */
const LEAST_BYTES = 16;

/** Addresses and bytes are not text; a text file inside an address is, and so is a text in its place. */
export function mapPlace(place: string, map: MapText): string {
  const [head, mime = "", parameters = ""] = DATA_URL.exec(place) ?? [];
  if (head === undefined) {
    if (/\s/.test(place.trim())) return map(place);
    return place.length < LEAST_BYTES ? place : mapTyped(place, "", map);
  }
  const isText = mime === "" || isTextMime(mime);
  if (!isText && BINARY_MIME.test(mime)) return place;
  const body = place.slice(head.length);
  if (/;\s*base64\s*$/i.test(parameters)) return head + mapTyped(body, isText ? "text/plain" : mime, map);
  const before = attempt(() => decodeURIComponent(body)) ?? body;
  const after = map(before, !isText);
  return after === before ? place : head + encodeURIComponent(after);
}

/** Only a `text-plain` block is text without a MIME type; audio and images often state their format elsewhere. */
function mimeOf(block: Block): string | undefined {
  const mime = block["mimeType"] ?? block["mime_type"] ?? block["media_type"];
  if (typeof mime === "string") return mime;
  if (block["type"] === "text-plain") return "text/plain";
  return block["type"] === "file" || block["type"] === "document" ? undefined : "image/";
}

function isTextMime(mime: string): boolean {
  const type = mime.trim().toLowerCase();
  return type.startsWith("text/") || TEXT_APPLICATIONS.test(type) || TEXT_SUFFIX.test(type);
}

/** @param strict - true to leave bytes that are not all text */
function mapBase64(data: string, map: MapText, strict = false): string {
  const before = attempt(() => {
    const plain = data.replaceAll("-", "+").replaceAll("_", "/");
    return readText(
      Uint8Array.from(atob(plain), (character) => character.codePointAt(0) ?? 0),
      strict,
    );
  });
  if (before === undefined) return data;
  const after = map(before);
  if (after === before) return data;
  return btoa(Array.from(new TextEncoder().encode(after), (byte) => String.fromCodePoint(byte)).join(""));
}

/** Returns undefined for bytes that are not all text, if `strict`. */
function readText(bytes: Uint8Array, strict: boolean): string | undefined {
  const text = new TextDecoder("utf-8", { fatal: strict }).decode(bytes);
  return strict && /[^\P{Cc}\s]/u.test(text) ? undefined : text;
}
