import type { ImageBlock } from "../../actions/image-slot.js";
import { isMap, readOwn } from "../../engine/plain-data.js";

/** Schemes of addresses that a service can read. */
const ADDRESS = /^(?:https?:\/\/|data:image\/)/i;

/** Keys of content blocks that contain a source: `image_url: { url }`, `source: { type, data }`. */
const HOLDERS: ReadonlySet<string> = new Set(["image_url", "source", "image", "inlineData", "fileData", "file"]);

const ADDRESS_KEYS: ReadonlySet<string> = new Set(["url", "uri", "file_url", "fileUri", "file_uri"]);

const DATA_KEYS: ReadonlySet<string> = new Set(["data", "bytes"]);

/** Keys for a file that the provider of a model stores. */
const FILE_KEYS: ReadonlySet<string> = new Set(["fileId", "file_id"]);

const TYPE_KEYS = ["mimeType", "mime_type", "media_type"] as const;

const TYPE = /^image\/[\w.+-]+$/i;

/** Greatest depth of nested objects in a block. */
const MAX_DEPTH = 8;

/**
 * Returns the address of a picture, or its bytes as a `data:` address; undefined for a block without either, such as one that
 * names a file of its provider. INVARIANT: a block that holds several pictures has none, since a model may read any of them.
 *
 * @example
 * ```ts
 * imageUrl({ type: "image", source_type: "base64", mime_type: "image/png", data: "iVBORw0KGgo=" }); // "data:image/png;base64,iVBORw0KGgo="
 * ```
 */
export function imageUrl(block: ImageBlock): string | undefined {
  const [found, ...others] = new Set(placesIn(block, 0));
  return others.length === 0 ? found : undefined;
}

/** Returns an entry for each picture in a block: its address, or undefined if it cannot be sent. */
function placesIn(block: ImageBlock, depth: number): readonly (string | undefined)[] {
  if (depth > MAX_DEPTH) return [undefined];
  return Object.entries(block).flatMap(([key, value]) => {
    if (value === undefined || value === null || value === "") return [];
    if (FILE_KEYS.has(key)) return [undefined];
    if (DATA_KEYS.has(key)) return [addressOfData(block, value)];
    if (!HOLDERS.has(key) && !ADDRESS_KEYS.has(key)) return [];
    if (isMap(value) && !(value instanceof Uint8Array)) return placesIn(value, depth + 1);
    return [typeof value === "string" && ADDRESS.test(value) ? value : undefined];
  });
}

function addressOfData(block: ImageBlock, value: unknown): string | undefined {
  const data = base64(value);
  if (data === undefined || ADDRESS.test(data)) return data;
  const type = TYPE_KEYS.map((key) => readOwn(block, key)).find((candidate) => typeof candidate === "string");
  return typeof type === "string" && TYPE.test(type) ? `data:${type.toLowerCase()};base64,${data}` : undefined;
}

function base64(value: unknown): string | undefined {
  if (typeof value === "string" && value !== "") return value;
  return value instanceof Uint8Array && value.length > 0 ? bytesToBase64(value) : undefined;
}

/** Bytes per conversion step: a function call has a limit on its arguments. */
const PIECE = 8192;

function bytesToBase64(bytes: Uint8Array): string {
  let text = "";
  for (let at = 0; at < bytes.length; at += PIECE) text += String.fromCharCode(...bytes.subarray(at, at + PIECE));
  return btoa(text);
}
