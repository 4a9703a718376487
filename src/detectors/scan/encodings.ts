import type { TextLayer } from "../finding.js";

/** Encodings of data, which applications use, too; what they hold is exactly what was encoded. */
const ENCODINGS: ReadonlySet<TextLayer> = new Set([
  "base64",
  "base32",
  "hex",
  "percent",
  "entities",
  "escapes",
  "quoted-printable",
]);
/** Layers of the plain view. */
const PLAIN: ReadonlySet<TextLayer> = new Set(["invisible", "confusables", "combining", "compatibility"]);

/** Returns true if one of some layers is an encoding. */
export function hasEncoding(layers: readonly TextLayer[]): boolean {
  return layers.some((layer) => ENCODINGS.has(layer));
}

/** Returns true for layers of encodings and of the plain view alone, without those that guess letters or digits. */
export function isDecodedOnly(layers: readonly TextLayer[]): boolean {
  return hasEncoding(layers) && layers.every((layer) => ENCODINGS.has(layer) || PLAIN.has(layer));
}
