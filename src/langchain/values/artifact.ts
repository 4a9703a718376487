import { type Mapper, mapParts, visitParts } from "../../engine/walk.js";
import { isPlainName } from "../../turn/plain-name.js";
import { textsIn } from "../../turn/redact-data.js";
import { readValue } from "../structured/structured-text.js";
import { isMeaningful } from "./extra-keys.js";

/** Visits the lines of an artifact; undefined for one that changes in a way that cannot be put back. */
export function mapArtifact(artifact: unknown, main: string, visit: (text: string) => string): unknown {
  const { text, rewrite } = readArtifact(artifact, main);
  if (text === "") return artifact;
  const after = visit(text);
  if (after === text) return artifact;
  return after === "" ? undefined : rewrite(after);
}

/** Lines of an artifact. */
interface ArtifactText {
  readonly text: string;
  /** False if parts of it could not be read. */
  readonly isWhole: boolean;
  rewrite(text: string): unknown;
}

export function readArtifact(artifact: unknown, main: string): ArtifactText {
  const nothing: ArtifactText = { text: "", isWhole: false, rewrite: () => undefined };
  if (!visitParts(artifact, () => true)) return nothing;
  const readable = mapParts(artifact, WITHOUT_BYTES);
  const isWhole = readable === artifact;
  try {
    const { text, rewrite } = readValue(
      readable,
      (path, line) => isMeaningful(path, line) && !repeats(main, path, line),
    );
    return { text, isWhole, rewrite: (changed) => rewrite(changed)?.value };
  } catch {
    return { ...nothing, text: textsIn(readable).join("\n") };
  }
}

/** Long texts under plain names that the main text holds are copies of it. */
function repeats(main: string, path: readonly string[], line: string): boolean {
  return line.length >= MIN_COPY && path.every(isPlainName) && isCopy(main, line);
}

const MIN_COPY = 4;

/** Plain data without the bytes in it. */
const WITHOUT_BYTES: Mapper = {
  leaf: (leaf) => leaf,
  whole: (value, parts) => {
    if (ArrayBuffer.isView(value) || value instanceof ArrayBuffer) return undefined;
    return Array.isArray(value) || Object.getPrototypeOf(value) === Object.prototype ? parts() : value;
  },
  beyond: (value) => value,
};

const WORD = /[\p{L}\p{N}]/u;

/** Returns true if the text stands in the main one, and not as a part of longer words. */
export function isCopy(main: string, text: string): boolean {
  const at = main.indexOf(text);
  if (at < 0) return false;
  const end = at + text.length;
  const joins = (left: number, right: number): boolean => WORD.test(main.charAt(left)) && WORD.test(main.charAt(right));
  return !joins(at - 1, at) && !joins(end - 1, end);
}
