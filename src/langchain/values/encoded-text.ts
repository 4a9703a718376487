type Block = Readonly<Record<string, unknown>>;

/** Gives the text to put in the place of another. */
export type MapText = (text: string) => string;

const DATA_URL = /^data:([^;,]*)((?:;[^;,]*)*),/;
/** Pictures, models and the like that are written as text, such as SVG. */
const TEXT_SUFFIX = /\+(?:xml|json|yaml)\b|^image\/svg/;
const TEXT_APPLICATIONS = /^application\/.*(?:json|xml|yaml|javascript|typescript|sql|csv|rtf|x-sh)/;

/** Maps the value of `data`: a text file, mostly in base64. Bytes of other files stay as they are. */
export function mapData(block: Block, data: string, map: MapText): string {
  if (block["type"] === "text") return map(data);
  if (data.startsWith("data:")) return mapPlace(data, map);
  const mime = mimeOf(block);
  if (mime === undefined) return mapBase64(data, map, true);
  return isTextMime(mime) ? mapBase64(data, map) : data;
}

export function mapBytes(block: Block, bytes: ArrayBufferView, map: MapText): ArrayBufferView {
  const mime = mimeOf(block);
  if (mime !== undefined && !isTextMime(mime)) return bytes;
  const before = decodeBytes(bytes as Uint8Array, mime === undefined);
  if (before === undefined) return bytes;
  const after = map(before);
  return after === before ? bytes : new TextEncoder().encode(after);
}

/** An address or bytes are no text; a text file inside an address is, and so is a text in place of an address. */
export function mapPlace(place: string, map: MapText): string {
  const [head, mime = "", parameters = ""] = DATA_URL.exec(place) ?? [];
  if (head === undefined) return /\s/.test(place.trim()) ? map(place) : place;
  if (mime !== "" && !isTextMime(mime)) return place;
  const body = place.slice(head.length);
  if (parameters.endsWith(";base64")) return head + mapBase64(body, map);
  const before = decodePercent(body);
  const after = map(before);
  return after === before ? place : head + encodeURIComponent(after);
}

/** Only a `text-plain` block is known to be text without saying so; a sound or a picture often says its format elsewhere. */
function mimeOf(block: Block): string | undefined {
  const mime = block["mimeType"] ?? block["mime_type"] ?? block["media_type"];
  if (typeof mime === "string") return mime;
  if (block["type"] === "text-plain") return "text/plain";
  return block["type"] === "file" || block["type"] === "document" ? undefined : "application/octet-stream";
}

function isTextMime(mime: string): boolean {
  const type = mime.trim().toLowerCase();
  return type.startsWith("text/") || TEXT_APPLICATIONS.test(type) || TEXT_SUFFIX.test(type);
}

/** @param strict - leave bytes that are not all text, where no type says that they are */
function mapBase64(data: string, map: MapText, strict = false): string {
  const bytes = decodeBase64(data);
  const before = bytes === undefined ? undefined : decodeBytes(bytes, strict);
  if (before === undefined) return data;
  const after = map(before);
  return after === before ? data : encodeBase64(after);
}

function decodeBytes(bytes: Uint8Array, strict: boolean): string | undefined {
  try {
    return new TextDecoder("utf-8", { fatal: strict }).decode(bytes);
  } catch {
    return undefined;
  }
}

function decodeBase64(data: string): Uint8Array | undefined {
  try {
    return Uint8Array.from(atob(data), (character) => character.codePointAt(0) ?? 0);
  } catch {
    return undefined;
  }
}

function decodePercent(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}

function encodeBase64(text: string): string {
  let binary = "";
  for (const byte of new TextEncoder().encode(text)) binary += String.fromCodePoint(byte);
  return btoa(binary);
}
