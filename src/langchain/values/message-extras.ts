import type { BaseMessage } from "@langchain/core/messages";
import { type ExtraText, joinLines, splitLines, splitOff } from "../../turn/extra-text.js";
import { isEmpty } from "../../engine/plain-data.js";
import { mapItems, mapParts, type Mapper, visitParts } from "../../engine/walk.js";
import { redactData, textsIn, isPlainName } from "../../turn/redact-data.js";
import { createRedactor, QUOTE_LENGTH } from "../../turn/redactor.js";
import { cloneMessage, isObject, type PlainObject, roleOf, wordSet } from "./message-kinds.js";
import { isReasoningBlock, visitContent } from "./content-blocks.js";
import { isEncrypted, isSentence, type MapText, visitTokens } from "./media.js";
import { extractText, replaceText, REASONING_KWARGS } from "./content.js";
import type { UnseenPart } from "./unseen.js";
import { registeredVerdict, VERDICT_KEY } from "../verdict.js";
import { readValue } from "../structured/structured-text.js";
import { isMeaningful } from "./extra-keys.js";
import { callTexts } from "../tools/tool-calls.js";
import { isIdentifier, isText, isVersions } from "./metadata-codes.js";
import { deferPattern } from "../../diagnostics/defer-pattern.js";

/** Texts of a message: its main text, and its extra texts line by line. */
export interface MessageTexts {
  readonly main: string;
  readonly extra: readonly string[];
}

/** Texts of a message after the rails; `extra` is undefined if these texts can no longer be separated. */
interface ReviewedTexts {
  readonly main: string;
  readonly extra: readonly string[] | undefined;
}

const NONE: readonly string[] = [];

/** Names that only repeat the role of a message. */
const ROLE_NAMES: ReadonlySet<unknown> = wordSet("user human assistant ai model bot system developer tool function");

/** Keys of a response's metadata that have readers of their own. */
const READ_ELSEWHERE: ReadonlySet<string> = wordSet(
  "tool_calls function_call audio refusal __openai_function_call_ids__ __gemini_function_call_thought_signatures__",
  ...REASONING_KWARGS,
);

const REASONING_KEYS: ReadonlySet<string> = new Set(REASONING_KWARGS);

function isReadElsewhere(key: string, value: unknown): boolean {
  return REASONING_KEYS.has(key) || (key === "refusal" && typeof value === "string");
}

/** Texts that those readers read; beside them, texts of several words are extra texts. */
const READ_TEXTS: ReadonlySet<string> = new Set(["transcript", "name", "arguments"]);

/** Providers' metadata keys with digits. */
const PROVIDER_KEYS: ReadonlySet<string> = new Set(["ephemeral_5m_input_tokens", "ephemeral_1h_input_tokens"]);

/**
 * Reads all extra texts of a message that a model or a reader may see: its name, labels, unknown keys and citations of
 * its blocks, sentences in its metadata, a tool's artifact. Most messages have none.
 *
 * @param main - the text of the message; copies of it are not read again
 * @param knownName - a name that was reviewed or belongs to the application, such as that of the called tool
 */
export function extraTextsOf(message: BaseMessage, main: string, knownName?: string): readonly string[] {
  if (isBare(message, knownName)) return NONE;
  const texts = new Set<string>();
  mapExtraTexts(message, (text) => (texts.add(text), text), main, knownName);
  return [...texts].filter((text) => text.trim() !== "" && !isCopy(main, text));
}

/** Returns true for a message with string content and no extra texts. */
function isBare(message: BaseMessage, knownName: string | undefined): boolean {
  if (typeof message.content !== "string" || !isKnownName(message.name, knownName)) return false;
  const { artifact } = message as { readonly artifact?: unknown };
  if (artifact !== undefined && artifact !== null) return false;
  const { additional_kwargs: kwargs, response_metadata: metadata } = message;
  if (!isEmpty(kwargs ?? null) || !isEmpty(metadata ?? null)) {
    const isResponse = roleOf(message) === "assistant";
    if (holdsText(kwargs, isResponse) || holdsText(metadata, isResponse)) return false;
  }
  const { tool_calls: calls, invalid_tool_calls: invalid } = message as unknown as PlainObject;
  if (addsFields(calls) || addsFields(invalid)) return false;
  return otherFields(message).length === 0;
}

/** Fields with readers of their own, and fields without texts. */
const FIELDS_READ_ELSEWHERE: ReadonlySet<string> = wordSet(
  "lc_serializable lc_kwargs lc_namespace lc_runnable lc_direct_tool_output type name content additional_kwargs",
  "response_metadata tool_calls invalid_tool_calls tool_call_chunks artifact example text",
);

const ID_FIELDS: ReadonlySet<string> = new Set(["id", "tool_call_id"]);

/** Names of message fields with text but without their own readers: usage with notes, ids with sentences. */
function otherFields(message: BaseMessage): readonly string[] {
  const fields = message as unknown as PlainObject;
  let paths: string[] | undefined;
  // A loop over the keys allocates no list of them: every message of a history is read.
  for (const key in fields) {
    if (FIELDS_READ_ELSEWHERE.has(key) || !Object.hasOwn(fields, key)) continue;
    const value = fields[key];
    if (value === undefined || value === null || typeof value === "boolean") continue;
    if (typeof value === "string" && ID_FIELDS.has(key) && isIdentifier(value)) continue;
    if (key === "status" && (value === "success" || value === "error")) continue;
    if (key === "role" && ROLE_NAMES.has(value)) continue;
    const isResponse = !ID_FIELDS.has(key) && roleOf(message) === "assistant";
    if (holdsText({ [key]: value }, isResponse)) (paths ??= []).push(key);
  }
  return paths ?? NONE;
}

/** Returns true for a name without new text: the role of the message, or the known name. */
export function isKnownName(name: unknown, knownName?: string): boolean {
  return typeof name !== "string" || name === "" || name === knownName || ROLE_NAMES.has(name);
}

/** Maximum depth of records in a message's metadata, such as token counts; anything deeper may hold text. */
const MAX_RECORDS = 3;

function holdsText(metadata: PlainObject | undefined, isResponse: boolean, depth = 0): boolean {
  for (const key in metadata) {
    const value = metadata[key];
    if (typeof value === "string" && isText(key, value, isResponse)) return true;
    if (typeof value === "object" && value !== null && !isVersions(key, value)) {
      if (depth === MAX_RECORDS || !isRecord(value) || holdsText(value, isResponse, depth + 1)) return true;
    }
    if (!isKnownKey(key)) return true;
  }
  return false;
}

function isRecord(value: object): value is PlainObject {
  const prototype: unknown = Object.getPrototypeOf(value);
  return prototype === Object.prototype || prototype === null;
}

function isKnownKey(key: string): boolean {
  return isPlainName(key) || PROVIDER_KEYS.has(key);
}

/**
 * Visits the texts in a fixed order; returns the same message if none of them changes.
 *
 * @param visit - returns the replacement for a text; an empty one removes it
 */
function mapExtraTexts<M extends BaseMessage>(message: M, visit: MapText, main: string, knownName?: string): M {
  const { name } = message;
  const { artifact } = message as { readonly artifact?: unknown };
  return cloneMessage(message, {
    content: visitContent(message, (text, kind) => (kind === "label" ? visit(text) : text)),
    name: isKnownName(name, knownName) ? name : visit(name as string) || undefined,
    additional_kwargs: mapMetadata(message, message.additional_kwargs, visit, READ_ELSEWHERE),
    response_metadata: mapMetadata(message, message.response_metadata, visit),
    ...mapOthers(message, visit),
    artifact: artifact === undefined || artifact === null ? artifact : mapArtifact(artifact, main, visit),
  });
}

const CALL_FIELDS: ReadonlySet<string> = wordSet("name args id type index");

/** LangChain's note on arguments that it cannot parse; notes of providers may quote them. */
const MALFORMED = "Malformed args.";

/** Visits the fields without their own readers, and non-standard fields of tool calls. */
function mapOthers(message: BaseMessage, visit: MapText): PlainObject {
  const fields = message as unknown as PlainObject;
  const others = Object.fromEntries(otherFields(message).map((key) => [key, fields[key]]));
  const mapped = mapMetadata(message, others, visit);
  const left = (calls: unknown): unknown =>
    Array.isArray(calls) ? mapItems(calls, (call) => mapCall(message, call as PlainObject, visit)) : calls;
  const calls = { tool_calls: left(fields["tool_calls"]), invalid_tool_calls: left(fields["invalid_tool_calls"]) };
  return { ...Object.fromEntries(Object.keys(others).map((key) => [key, mapped[key]])), ...calls };
}

function addsFields(calls: unknown): boolean {
  return Array.isArray(calls) && calls.some((call) => isObject(call) && addedFields(call).length > 0);
}

/** Names of the non-standard fields of a call, and of an id that is a text. */
function addedFields(call: PlainObject): readonly string[] {
  return Object.keys(call).filter((key) => {
    if (key === "id") return typeof call[key] === "string" && !isIdentifier(call[key]);
    return key === "error" ? (call[key] ?? MALFORMED) !== MALFORMED : !CALL_FIELDS.has(key);
  });
}

function mapCall(message: BaseMessage, call: PlainObject, visit: MapText): PlainObject {
  const added = addedFields(call);
  if (added.length === 0) return call;
  const others = Object.fromEntries(added.map((key) => [key, call[key]]));
  const mapped = mapMetadata(message, others, visit);
  if (mapped === others) return call;
  return Object.fromEntries(
    Object.entries(call).flatMap(([key, value]) => {
      if (!added.includes(key)) return [[key, value] as const];
      return mapped[key] === undefined ? [] : [[key, mapped[key]] as const];
    }),
  );
}

/**
 * Visits texts, and keys that are not plain names; a text that becomes empty is removed.
 *
 * @param elsewhere - keys of responses that have their own readers
 */
function mapMetadata<Fields extends PlainObject>(
  message: BaseMessage,
  metadata: Fields,
  visit: MapText,
  elsewhere: ReadonlySet<string> = NO_KEYS,
): Fields {
  const isResponse = roleOf(message) === "assistant";
  // Such a verdict was made by this package, or is dropped elsewhere.
  const keepsVerdict = isResponse || registeredVerdict(message) !== undefined;
  const readBeside = new Set(isResponse ? [...elsewhere].map((key) => metadata[key]) : []);
  const beside: Mapper = {
    leaf: (leaf) => (typeof leaf === "string" && isSentence(leaf) ? visit(leaf) || undefined : leaf),
    whole: (value, parts) => (ArrayBuffer.isView(value) ? value : parts()),
    key: (key) => (isKnownKey(key) || !isSentence(key) || visit(key) === key ? key : undefined),
    keeps: (key, value) => typeof value === "string" && READ_TEXTS.has(key),
  };
  const isRead = callTexts(message);
  // Reasoning there is removed or read with the reasoning of the message.
  const { output } = metadata ?? {};
  const raw: readonly unknown[] =
    isResponse && metadata === message.response_metadata && Array.isArray(output) ? output : [];
  const gone = new Set<unknown>();
  const keepsTokens = (value: unknown): boolean => {
    if (typeof value !== "object" || value === null) return false;
    const isSame = visitTokens(value, visit);
    if (!isSame) gone.add(value);
    return isSame;
  };
  return mapParts(metadata, {
    leaf: (leaf) => (typeof leaf === "string" && leaf !== "" ? visit(leaf) || undefined : leaf),
    whole: (value, parts) => {
      if (gone.has(value)) return undefined;
      if (ArrayBuffer.isView(value)) return value;
      if (readBeside.has(value)) return parts(beside);
      const isRaw = raw.includes(value) && isReasoningBlock(value);
      return isRaw || (isResponse && value !== metadata && isRead(value as PlainObject)) ? value : parts();
    },
    key: (key) => (isKnownKey(key) || elsewhere.has(key) || visit(key) === key ? key : undefined),
    keeps: (key, value, holder) =>
      (isResponse && ((key === "logprobs" && keepsTokens(value)) || (key === "signature" && isEncrypted(value)))) ||
      (isResponse && holder === metadata && elsewhere.has(key) && isReadElsewhere(key, value)) ||
      isVersions(key, value) ||
      (typeof value === "string" && !isText(key, value, isResponse)) ||
      (keepsVerdict && key === VERDICT_KEY && holder === metadata),
  }) as Fields;
}

const NO_KEYS: ReadonlySet<string> = new Set();

/**
 * Parts of a message that no rail can read, with their paths: media, artifacts, unparseable tool calls.
 *
 * @param path - of the message
 */
export function unseenInMessage(message: BaseMessage, path = ""): readonly UnseenPart[] {
  const parts: UnseenPart[] = [];
  const note = (part: UnseenPart): void => {
    parts.push({ ...part, path: path === "" ? part.path : `${path}.${part.path}` });
  };
  const { artifact, invalid_tool_calls: invalid } = message as { artifact?: unknown; invalid_tool_calls?: unknown };
  visitContent(message, (text) => text, note);
  if (artifact !== undefined && artifact !== null && !readArtifact(artifact, "").isWhole)
    note({ path: "artifact", kind: "artifact" });
  if (Array.isArray(invalid) && invalid.length > 0) note({ path: "invalid_tool_calls", kind: "invalid tool call" });
  return parts;
}

/** Texts of a message of the user's side. */
export function readTexts(message: BaseMessage, knownName?: string): MessageTexts {
  const main = mainText(message);
  return { main, extra: extraTextsOf(message, main, knownName) };
}

/** Text of a message without the labels of its blocks. */
export function mainText(message: BaseMessage): string {
  return extractText(message, { labels: false });
}

/** Everything that rails read in a message of the user's side, as one text. */
export function wholeText(message: BaseMessage, knownName?: string): string {
  const { main, extra } = readTexts(message, knownName);
  return extra.length === 0 ? main : joinLines(main, ...extra);
}

/** Returns the message with a rewritten whole text; lines that can no longer be separated are removed. */
export function rewriteWhole<M extends BaseMessage>(message: M, text: string, knownName?: string): M {
  const before = readTexts(message, knownName);
  const after = splitTexts(before, text);
  return replaceText(replaceExtraTexts(message, before, after, knownName), after.main, { labels: false });
}

/** Splits a rewritten text of several lines into the texts it was joined from. */
export function splitTexts(before: MessageTexts, text: string): ReviewedTexts {
  if (before.extra.length === 0) return { main: text, extra: before.extra };
  const { main, others } = splitOff(before.main, before.extra.join("\n"), text);
  return { main, extra: splitLines(before.extra, others) };
}

/** Returns the message with other extra texts, and without copies of removed text. */
export function replaceExtraTexts<M extends BaseMessage>(
  message: M,
  before: MessageTexts,
  after: ReviewedTexts,
  knownName?: string,
): M {
  const pairs = before.extra.map((text, index) => ({ text, replacement: after.extra?.[index] ?? "" }));
  const changed = pairs.filter(({ text, replacement }) => text !== replacement);
  const shown = [after.main, ...(after.extra ?? [])];
  const redactor = createRedactor([{ text: before.main, replacement: after.main }, ...changed], { shown });
  const placed = new Map(pairs.map(({ text, replacement }) => [text, replacement]));
  const visit = (text: string): string => placed.get(text) ?? redactor?.redact(text) ?? text;
  const mapped = mapExtraTexts(message, visit, before.main, knownName);
  if (redactor === undefined) return mapped;
  const { additional_kwargs: kwargs, response_metadata: metadata } = mapped;
  const { artifact } = mapped as { readonly artifact?: unknown };
  return cloneMessage(mapped, {
    additional_kwargs: redactData(kwargs, redactor) ?? {},
    response_metadata: redactData(metadata, redactor) ?? {},
    artifact: redactData(artifact, redactor, "mark"),
  });
}

/**
 * Joins the extra lines of a message with those of the value around it, for one review.
 *
 * @param others - lines of the value that contains the message
 */
export function joinExtraText(lines: readonly string[], others?: ExtraText): ExtraText | undefined {
  if (lines.length === 0) return others;
  const ownText = lines.join("\n");
  return {
    text: joinLines(ownText, others?.text ?? ""),
    quoted: () => [...lines.filter(({ length }) => length < QUOTE_LENGTH), ...(others?.quoted() ?? [])],
    take: (text) => {
      const left = splitOff(ownText, others?.text ?? "", text);
      const parts = splitLines(lines, left.main);
      const hidden = lines.flatMap((line, index) =>
        parts?.[index] === line ? [] : [{ text: line, replacement: parts?.[index] }],
      );
      const taken = others?.take(left.others);
      return { variables: taken?.variables ?? {}, hidden: [...hidden, ...(taken?.hidden ?? [])] };
    },
  };
}

/** Visits the lines of an artifact; undefined if a change cannot be put back. */
function mapArtifact(artifact: unknown, main: string, visit: MapText): unknown {
  const { text, rewrite } = readArtifact(artifact, main);
  if (text === "") return artifact;
  const after = visit(text);
  if (after === text) return artifact;
  return after === "" ? undefined : rewrite(after);
}

/** Lines of an artifact; `isWhole` is false if parts of it cannot be read. */
function readArtifact(artifact: unknown, main: string) {
  const nothing = { text: "", isWhole: false, rewrite: (_changed: string): unknown => undefined };
  if (!visitParts(artifact, () => true)) return nothing;
  const readable = mapParts(artifact, WITHOUT_BYTES);
  const isWhole = readable === artifact;
  try {
    // Long texts under plain names that the main text contains are copies of it.
    const repeats = (path: readonly string[], line: string): boolean =>
      line.length >= MIN_COPY && path.every(isPlainName) && isCopy(main, line);
    const { text, rewrite } = readValue(readable, (path, line) => isMeaningful(path, line) && !repeats(path, line));
    return { text, isWhole, rewrite: (changed: string) => rewrite(changed)?.value };
  } catch {
    return { ...nothing, text: textsIn(readable).join("\n") };
  }
}

const MIN_COPY = 4;

/** Copies plain data without bytes. */
const WITHOUT_BYTES: Mapper = {
  leaf: (leaf) => leaf,
  whole: (value, parts) => {
    if (ArrayBuffer.isView(value) || value instanceof ArrayBuffer) return undefined;
    return Array.isArray(value) || Object.getPrototypeOf(value) === Object.prototype ? parts() : value;
  },
  beyond: (value) => value,
};

const letter = deferPattern(String.raw`[\p{L}\p{N}]`, "u");

/** Returns true if the main text contains the text as whole words. */
function isCopy(main: string, text: string): boolean {
  const at = main.indexOf(text);
  if (at < 0) return false;
  const end = at + text.length;
  const word = letter();
  const joins = (left: number, right: number): boolean => word.test(main.charAt(left)) && word.test(main.charAt(right));
  return !joins(at - 1, at) && !joins(end - 1, end);
}
