import { joinLines, splitOff } from "../../turn/extra-text.js";
import { copyWith } from "../../engine/walk.js";
import { readGetters } from "./plain-object.js";
import { distributeText } from "./content.js";
import { chunkText, evidenceTexts } from "./evidence.js";
import { isObject, type PlainObject } from "./message-kinds.js";
import { type ExtraKeys, readExtraKeys } from "./extra-keys.js";
import type { UnseenPart } from "./unseen.js";

/** Evidence as retrieval rails read it: the text of each document, then a line for each extra text. */
export interface DocumentLines {
  /** The texts of the documents alone. */
  readonly pages: readonly string[];
  /** The same with their extra lines. */
  readonly wholes: readonly string[];
  readonly unseen: readonly UnseenPart[];
  /** The evidence with a rewritten text, and the texts of its documents alone. */
  rewrite(text: string): { readonly evidence: unknown; readonly pages: readonly string[] };
}

interface ReadDocument {
  readonly item: unknown;
  readonly page: string;
  readonly others: ExtraKeys | undefined;
}

/** Reads documents, objects with `pageContent` and texts; undefined when the value is no evidence. */
export function readDocuments(evidence: unknown): DocumentLines | undefined {
  if (evidenceTexts(evidence) === undefined) return undefined;
  const items: readonly unknown[] = Array.isArray(evidence) ? evidence : evidence === "" ? [] : [evidence];
  const documents = items.map(readDocument);
  const wholes = documents.map(({ page, others }) => joinLines(page, others?.text ?? ""));
  return {
    pages: documents.map(({ page }) => page),
    wholes,
    unseen: documents.flatMap(({ others }, index) =>
      (others?.unseen ?? []).map(({ path, kind }) => ({ path: `[${index}].${path}`, kind })),
    ),
    rewrite: (text) => {
      if (!Array.isArray(evidence)) return { evidence: text, pages: text === "" ? [] : [text] };
      const parts = distributeText(wholes, "\n", text);
      const left = documents.flatMap((document, index) =>
        parts[index] === wholes[index] ? [document] : rewriteDocument(document, parts[index] ?? ""),
      );
      return { evidence: left.map(({ item }) => item), pages: left.map(({ page }) => page) };
    },
  };
}

function readDocument(given: unknown): ReadDocument {
  const item = isObject(given) ? readGetters(given) : given;
  const page = chunkText(item) ?? "";
  return { item, page, others: isObject(item) ? readExtraKeys(item, (key) => key === "pageContent") : undefined };
}

/** A document that lost all of its text is removed; each extra line is put back under its key, or removed. */
function rewriteDocument({ item, page, others }: ReadDocument, text: string): readonly Omit<ReadDocument, "others">[] {
  const after = splitOff(page, others?.text ?? "", text);
  if (after.main === "" && (page !== "" || after.others === "")) return [];
  if (!isObject(item) || others === undefined) return [{ item: after.main, page: after.main }];
  const changes = { ...others.rewrite(after.others), pageContent: after.main };
  // The constructor of a document gives it metadata in any case.
  const kept: PlainObject = { ...item, ...changes };
  const entries = Object.entries(kept).map(
    ([key, value]) => [key, key === "metadata" ? (value ?? {}) : value] as const,
  );
  const left = entries.filter(([key, value]) => value !== undefined || !others.keys.includes(key));
  return [{ item: copyWith(item, left), page: after.main }];
}
