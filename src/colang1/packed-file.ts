import type { SourceFile } from "../diagnostics/source-file.js";
import type { ColangFile } from "./ast.js";

/** Packs a parsed file as JSON, in which a span is its two offsets. `openPackedFile` is the other way round. */
export function packFile(file: ColangFile): string {
  return JSON.stringify(file, (key, part: unknown) => {
    if (!isSpanKey(key)) return part;
    const { start, end } = part as { readonly start: number; readonly end: number };
    return [start, end];
  });
}

/**
 * Opens a file of the package without parsing it.
 *
 * @param source - the source that was packed
 */
export function openPackedFile(source: SourceFile, packed: string): ColangFile {
  const file = JSON.parse(packed) as ColangFile;
  restore(source, file);
  return file;
}

function isSpanKey(key: string): boolean {
  return key === "span" || key.endsWith("Span");
}

/** Restores spans in place; the value was just read and has no other owner. */
function restore(source: SourceFile, value: unknown): void {
  if (typeof value !== "object" || value === null) return;
  const record = value as Record<string, unknown>;
  for (const key in record) {
    const part = record[key];
    if (isSpanKey(key)) {
      const [start, end] = part as readonly [number, number];
      record[key] = { source, start, end };
    } else if (key === "meta") record[key] = Object.assign(Object.create(null) as object, part);
    else restore(source, part);
  }
}
