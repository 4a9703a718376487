import type { ImageBlock } from "../../actions/image-slot.js";
import { isMap, readOwn } from "../../engine/plain-data.js";

/** Schemes of addresses that a service can read. */
const ADDRESS = /^(?:https?:\/\/|data:image\/)/i;

/** Keys below which blocks of providers hold their source: `image_url: { url }`, `source: { type, data }`. */
const HOLDERS = ["image_url", "source", "image"] as const;

const DATA_KEYS = ["data", "bytes"] as const;

const TYPE_KEYS = ["mimeType", "mime_type", "media_type"] as const;

const TYPE = /^image\/[\w.+-]+$/i;

/**
 * Returns the address of a picture, or its bytes as a `data:` address; undefined for a block without either, such as one that
 * names a file of its provider.
 *
 * @example
 * ```ts
 * imageUrl({ type: "image", source_type: "base64", mime_type: "image/png", data: "iVBORw0KGgo=" }); // "data:image/png;base64,iVBORw0KGgo="
 * ```
 */
export function imageUrl(block: ImageBlock): string | undefined {
  for (const holder of HOLDERS) {
    const held = readOwn(block, holder);
    if (typeof held === "string") return ADDRESS.test(held) ? held : undefined;
    if (isMap(held) && !(held instanceof Uint8Array)) return imageUrl(held);
  }
  const address = readOwn(block, "url") ?? readOwn(block, "uri");
  if (typeof address === "string" && ADDRESS.test(address)) return address;
  const type = TYPE_KEYS.map((key) => readOwn(block, key)).find((value) => typeof value === "string");
  const data = DATA_KEYS.map((key) => base64(readOwn(block, key))).find((value) => value !== undefined);
  if (data === undefined) return undefined;
  if (ADDRESS.test(data)) return data;
  return typeof type === "string" && TYPE.test(type) ? `data:${type.toLowerCase()};base64,${data}` : undefined;
}

function base64(value: unknown): string | undefined {
  if (typeof value === "string" && value !== "") return value;
  return value instanceof Uint8Array && value.length > 0 ? bytesToBase64(value) : undefined;
}

/** Bytes that are converted at once: more are too many arguments for a call. */
const PIECE = 8192;

function bytesToBase64(bytes: Uint8Array): string {
  let text = "";
  for (let at = 0; at < bytes.length; at += PIECE) text += String.fromCharCode(...bytes.subarray(at, at + PIECE));
  return btoa(text);
}
