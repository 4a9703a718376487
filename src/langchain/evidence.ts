import { isMessage, isObject } from "./message-kinds.js";

/** The texts of documents, strings or objects with `pageContent`; undefined when the value is no evidence. */
export function evidenceTexts(value: unknown): readonly string[] | undefined {
  if (typeof value === "string") return value === "" ? [] : [value];
  if (!Array.isArray(value)) return undefined;
  const texts = value.map(chunkText);
  return texts.every((text) => text !== undefined) ? texts : undefined;
}

export function chunkText(value: unknown): string | undefined {
  if (typeof value === "string") return value;
  if (!isObject(value) || isMessage(value)) return undefined;
  return typeof value["pageContent"] === "string" ? value["pageContent"] : undefined;
}
