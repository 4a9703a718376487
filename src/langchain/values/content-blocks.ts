import { writeOwn } from "../../engine/plain-data.js";
import type { BaseMessage } from "@langchain/core/messages";
import { mapItems, mapParts, WalkBounds } from "../../engine/walk.js";
import { isPlainName } from "../../turn/redact-data.js";
import { shapeError } from "../shape-error.js";
import { isObject, type PlainObject, roleOf, wordSet } from "./message-kinds.js";
import { CODE_TYPES, KNOWN_TYPES } from "./block-types.js";
import {
  isDataUrl,
  isEncrypted,
  isSentence,
  mapBytes,
  mapData,
  mapPlace,
  type MapText,
  mediaKind,
  isMediaKind,
  visitTokens,
} from "./media.js";
import { pathOf, type UnseenPart } from "./unseen.js";

/** Kind of a text in a message. A label is a name, a title, a key or a citation. */
export type TextKind = "text" | "document" | "reasoning" | "label";

/** Returns the replacement for `text`; an empty string removes the block. */
export type TextVisitor = (text: string, kind: TextKind) => string;

type Block = Readonly<Record<string, unknown>>;

interface Walk {
  readonly visit: TextVisitor;
  /** True to skip tool calls. */
  readonly skipsCalls: boolean;
  readonly bounds: WalkBounds;
  /** Called for each part that no visitor can read. */
  readonly unseen: ((part: UnseenPart) => void) | undefined;
  /** Path of the visited block; kept only for `unseen`. */
  readonly path: (string | number)[];
}

/**
 * Keys of content blocks of LangChain, OpenAI, Anthropic, Google and Bedrock. INVARIANT: text under any other key is
 * read by rails.
 */
const BLOCK_KEYS: ReadonlySet<string> = wordSet(
  // LangChain
  "type id index text annotations citations extras metadata reasoning url data fileId file_id mimeType mime_type",
  "source_type sourceType name title label args toolCallId status output value content error language encoding detail",
  // OpenAI
  "refusal input_text output_text image_url input_audio format file filename file_data file_url audio audio_url",
  "video_url transcript expires_at logprobs phase role summary encrypted_content queries results action code",
  "container_id outputs logs pending_safety_checks result server_label arguments approval_request_id tools call_id",
  "attributes score file_name revised_prompt size quality background output_format",
  // Anthropic
  "thinking signature source media_type cache_control context tool_use_id tool_call_id is_error input caller",
  "server_name cited_text document_title document_index start_char_index end_char_index start_page_number",
  "end_page_number start_block_index end_block_index search_result_index encrypted_index page_age stdout stderr",
  "return_code error_code retrieved_at file_type start_line num_lines total_lines is_file_update old_start old_lines",
  "new_start new_lines lines ttl enabled tool_name tool_references",
  // Google
  "inlineData fileData fileUri file_uri displayName functionCall functionResponse response executableCode",
  "codeExecutionResult outcome thought thoughtSignature videoMetadata startOffset endOffset fps mediaResolution",
  "media_resolution level partMetadata",
  // Bedrock and others
  "image video document bytes uri bucketOwner qualifiers guardContent reasoningContent reasoningText redactedContent",
  "citationsContent searchResult cachePoint document_url reference_ids partial_json json parts",
  "caption alt description note",
);

/** Keys of blocks that hold data of applications and tools. */
const DATA_KEYS: ReadonlySet<string> = wordSet("input args output response value arguments attributes action");

/** Keys whose values name a block, a file or a document. */
const NAME_KEYS: ReadonlySet<string> = wordSet(
  "name title label filename fileName file_name displayName display_name document_title",
);

const TEXT_KEYS = new Set(["text", "refusal", "input_text", "output_text", "transcript"]);

const REASONING_KEYS = ["reasoning", "thinking"] as const;

const REASONING_TYPES = new Set(["reasoning", "reasoning_content", "thinking", "redacted_thinking"]);

const DOCUMENT_TYPES = new Set(["text-plain", "file", "document"]);

/** Tool calls; execution rails check their arguments. */
const TOOL_TYPES = wordSet(
  "tool_use tool_call tool_call_chunk invalid_tool_call input_json_delta server_tool_use server_tool_call",
  "server_tool_call_chunk function_call functionCall",
);

/** Keys for the bytes or the address of an image, a sound or a file. */
const PLACE_KEYS = wordSet("url uri image_url audio_url video_url file_url fileUri file_uri file_data fileData");

/** Keys for the bytes of an image, a sound or a file. */
const BYTES_KEYS = wordSet("data bytes");

/** Keys for the id of a file stored by the provider. */
const FILE_KEYS = wordSet("fileId file_id");

const SOURCE_TYPE_KEYS = ["source_type", "sourceType"] as const;

/** Keys of entries that name, locate or type a block; only values of several words count as text. */
const LABEL_KEYS = wordSet(
  "type id index role detail format status phase language encoding signature fileId file_id mimeType",
  "mime_type media_type source_type sourceType tool_use_id tool_call_id call_id cache_control",
);

/** Extra data of a block: citations, details, names. */
const EXTRA_KEYS = new Set(["annotations", "citations", "extras", "metadata"]);

/** Keys in this data whose values count as text only if they have several words. */
const OPAQUE_KEYS = wordSet(
  "type id ttl signature thoughtSignature thought_signature encrypted_index encrypted_content",
);

/** Citations belong to their text; after a change they would quote the old one. */
const QUOTATION_KEYS = ["annotations", "citations"] as const;

/**
 * Visits every text of a message's content, in order. INVARIANT: a block of unknown type is read whole; unreadable
 * content is an error and never skipped, since no rail would have seen it.
 *
 * @returns the same content if no visited text changes
 * @throws InputShapeError for content that is neither text nor blocks, or is nested too deeply
 */
export function visitContent(message: BaseMessage, visit: TextVisitor, unseen?: (part: UnseenPart) => void) {
  const { content } = message;
  if (typeof content === "string") return visit(content, "text");
  if (content === undefined || content === null) return content;
  if (!Array.isArray(content)) return unreadable(content);
  // Only the bot calls tools, so in a user message such a block is ordinary text.
  const skipsCalls = roleOf(message) === "assistant";
  const walk: Walk = { visit, skipsCalls, bounds: new WalkBounds(), unseen, path: ["content"] };
  return visitBlocks(content, OUTSIDE, walk) as BaseMessage["content"];
}

/** Returns a block of a user message without its texts, such as a title or a description; bytes and addresses stay. */
export function withoutTexts(block: Block): Block {
  const walk: Walk = { visit: () => "", skipsCalls: false, bounds: new WalkBounds(), unseen: undefined, path: [] };
  return visitBlock(block, OUTSIDE, walk) ?? {};
}

/** Returns true for a block of model reasoning. */
export function isReasoningBlock(block: unknown): boolean {
  if (typeof block !== "object" || block === null) return false;
  const { type } = block as Block;
  if (typeof type === "string" && REASONING_TYPES.has(type)) return true;
  return REASONING_KEYS.some((key) => typeof (block as Block)[key] === "string");
}

/** Returns true for a tool call or a part of one. */
export function isToolCallBlock(block: unknown): block is PlainObject {
  if (!isObject(block)) return false;
  const { type } = block;
  return typeof type === "string" && TOOL_TYPES.has(type);
}

/** Context of a key. */
interface Place {
  readonly kind: TextKind;
  /** True below a key that holds data of an application or a tool. */
  readonly isData: boolean;
  /** True in blocks whose keys are all known. */
  readonly isKnownBlock: boolean;
  /** Types of the visited block and of those around it, outermost first. */
  readonly types: readonly string[];
}

const OUTSIDE: Place = { kind: "text", isData: false, isKnownBlock: true, types: [] };

function visitBlocks(blocks: readonly unknown[], place: Place, walk: Walk): readonly unknown[] {
  return mapItems(blocks, (block, index) => {
    if (typeof block === "string") {
      const text = walk.visit(block, place.kind);
      return text === "" && block !== "" ? undefined : text;
    }
    if (typeof block !== "object" || block === null) return block;
    walk.path.push(index);
    const visited = walk.bounds.inside<unknown>(
      block,
      () => (Array.isArray(block) ? visitBlocks(block, place, walk) : visitBlock(block as Block, place, walk)),
      unreadable,
    );
    walk.path.pop();
    return visited;
  });
}

function visitBlock(block: Block, inherited: Place, walk: Walk): Block | undefined {
  const type = typeof block["type"] === "string" ? block["type"] : "";
  if (TOOL_TYPES.has(type) && walk.skipsCalls) return visitCall(block, walk);
  const isKnownBlock = inherited.isKnownBlock && (type === "" || KNOWN_TYPES.has(type));
  const types = [...inherited.types, type];
  const place: Place = { ...inherited, isKnownBlock, types, kind: kindOf(block, inherited.kind, type) };
  // The bot's reasoning is a text of its own, or is removed with all of its labels.
  const hasLabels = !(place.kind === "reasoning" && walk.skipsCalls);
  const changes: Record<string, unknown> = {};
  const gone = new Set<string>();
  let remaining = 0;
  for (const [key, inner] of Object.entries(block)) {
    const isName = NAME_KEYS.has(key) && typeof inner === "string";
    if (isName || LABEL_KEYS.has(key) || EXTRA_KEYS.has(key)) {
      if (namesFile(block, key)) noteUnseen(block, [...walk.path, key], place, walk);
      const label = hasLabels ? visitLabel(key, inner, walk) : inner;
      if (label !== inner) writeOwn(changes, key, label);
      if (isName && label === "") gone.add(key);
      continue;
    }
    const isKnown = BLOCK_KEYS.has(key) || (place.isData && isPlainName(key));
    // A key that a rail rewrites is removed with its entry.
    if (!isKnown && hasLabels && walk.visit(key, "label") !== key) {
      gone.add(key);
      continue;
    }
    const below = isKnown || !place.isKnownBlock ? place : { ...place, kind: "label" as const };
    walk.path.push(key);
    const after = visitEntry(block, [key, inner], below, walk);
    walk.path.pop();
    if (after !== inner) writeOwn(changes, key, after);
    if (after !== undefined && after !== "" && typeof after !== "boolean") remaining += 1;
  }
  if (Object.keys(changes).length + gone.size === 0) return block;
  if (remaining === 0) return undefined;
  const changed = { ...withoutQuotations(block, changes), ...changes };
  return gone.size === 0 ? changed : Object.fromEntries(Object.entries(changed).filter(([key]) => !gone.has(key)));
}

/** Fields of a call that tool-call rails read, or that identify it. */
const CALL_KEYS = wordSet("type name input args arguments");

/** Fields that identify a call; only values of several words count as text. */
const CALL_LABELS = wordSet("id index call_id caller status");

/** Visits what tool-call rails do not read: other entries of a call, and the whole of a nameless one. */
function visitCall(block: Block, walk: Walk): Block {
  const isCall = typeof block["name"] === "string";
  const visit = (text: string): string => walk.visit(text, "label");
  const changes: Record<string, unknown> = {};
  for (const [key, inner] of Object.entries(block)) {
    if (isCall ? CALL_KEYS.has(key) : key === "type") continue;
    const visitText = CALL_LABELS.has(key) ? (text: string) => (isSentence(text) ? visit(text) : text) : visit;
    const after = (visitData({ [key]: inner }, visitText) as Block)[key];
    if (after !== inner) writeOwn(changes, key, after);
  }
  return Object.keys(changes).length === 0 ? block : { ...block, ...changes };
}

function kindOf(block: Block, inherited: TextKind, type: string): TextKind {
  if (inherited === "reasoning" || isReasoningBlock(block)) return "reasoning";
  if (inherited === "label") return inherited;
  return DOCUMENT_TYPES.has(type) ? "document" : inherited;
}

function visitEntry(block: Block, [key, inner]: readonly [string, unknown], place: Place, walk: Walk): unknown {
  // Entries next to a block's text are parts of what it shows, and read as documents.
  const kind = place.kind === "text" && !TEXT_KEYS.has(key) ? "document" : place.kind;
  const at = [block, place] as const;
  if (typeof inner === "string") {
    if (key === "encrypted_content" && isEncrypted(inner)) return inner;
    if (key === "data") return visitMedia(at, inner, walk, (map) => mapData(block, inner, map));
    if (!PLACE_KEYS.has(key)) return walk.visit(inner, kind);
    if (isLink(at, inner, walk)) return walk.visit(inner, kind === "reasoning" ? kind : "label");
    return visitMedia(at, inner, walk, (map) => mapPlace(inner, map));
  }
  if (typeof inner !== "object" || inner === null) return inner;
  if (key === "logprobs" && walk.skipsCalls)
    return visitTokens(inner, (text) => walk.visit(text, "label")) ? inner : undefined;
  if (ArrayBuffer.isView(inner)) return visitMedia(at, inner, walk, (map) => mapBytes(block, inner, map));
  if (BYTES_KEYS.has(key) && holdsBytes(inner)) noteBytes(block, place, walk);
  const below: Place = { ...place, kind, isData: place.isData || DATA_KEYS.has(key) };
  if (Array.isArray(inner)) return visitBlocks(inner, below, walk);
  return walk.bounds.inside<unknown>(inner, () => visitBlock(inner as Block, below, walk), unreadable);
}

/** Returns true for the id of a file stored by the provider, used instead of bytes or an address. */
function namesFile(block: Block, key: string): boolean {
  const isReference = FILE_KEYS.has(key) || (key === "id" && SOURCE_TYPE_KEYS.some((name) => block[name] === "id"));
  return isReference && typeof block[key] === "string" && block[key] !== "";
}

function holdsBytes(data: object): boolean {
  const values: readonly unknown[] = Object.values(data);
  return values.length > 0 && values.every((byte) => typeof byte === "number");
}

/** Returns true for the address of a page in a block without media, such as a result of a search: rails read it. */
function isLink([block, { types }]: readonly [Block, Place], place: string, { path }: Walk): boolean {
  return !isDataUrl(place) && !isMediaKind(mediaKind(block, { path, types }));
}

/**
 * Visits a text file; other bytes and their addresses are parts that no rail can read. Encrypted reasoning is a code: its provider
 * alone reads it.
 */
function visitMedia<Data>(
  [block, place]: readonly [Block, Place],
  data: Data,
  walk: Walk,
  read: (map: MapText) => Data,
): Data {
  let isSeen = data === "" || (place.kind === "reasoning" && isEncrypted(data));
  const after = read((text, isGuess) => {
    isSeen ||= isGuess !== true;
    return walk.visit(text, "document");
  });
  if (!isSeen) noteUnseen(block, walk.path, place, walk);
  return after;
}

/** Notes bytes as a list or a map of numbers, such as a `Buffer` in JSON. Elsewhere numbers are data of applications. */
function noteBytes(block: Block, place: Place, walk: Walk): void {
  if (isMediaKind(mediaKind(block, { path: walk.path, types: place.types }))) noteUnseen(block, walk.path, place, walk);
}

function noteUnseen(block: Block, path: Walk["path"], { types }: Place, { unseen }: Walk): void {
  unseen?.({ path: pathOf(path), kind: mediaKind(block, { path, types }) });
}

/** Visits a name, extra data, an unknown type, or an entry that counts as text if it has several words. */
function visitLabel(key: string, label: unknown, walk: Walk): unknown {
  const visit = (text: string): string => walk.visit(text, "label");
  if (EXTRA_KEYS.has(key) || (typeof label === "object" && label !== null)) return visitData(label, visit);
  if (typeof label !== "string") return label;
  return label !== "" && (NAME_KEYS.has(key) || !isCode(key, label)) ? visit(label) : label;
}

/** Returns true for a code word without text; a type only if a provider defines it. */
function isCode(key: string, word: string): boolean {
  if (key !== "type") return !isSentence(word);
  return KNOWN_TYPES.has(word) || TOOL_TYPES.has(word) || CODE_TYPES.has(word) || REASONING_TYPES.has(word);
}

/** Visits all strings and keys that are text; unreadable data is an error. */
function visitData(value: unknown, visit: MapText): unknown {
  return mapParts(value, {
    leaf: (leaf) => (typeof leaf === "string" && leaf !== "" ? visit(leaf) : leaf),
    whole: (inner, parts) => (ArrayBuffer.isView(inner) ? inner : parts()),
    key: (key) => (isPlainName(key) || visit(key) === key ? key : undefined),
    keeps: (key, inner) => OPAQUE_KEYS.has(key) && typeof inner === "string" && isCode(key, inner),
    beyond: unreadable,
  });
}

/** Returns the block without the citations of a changed text; citations that a rail rewrote stay. */
function withoutQuotations(block: Block, changes: Block): Block {
  if (Object.keys(changes).every((key) => EXTRA_KEYS.has(key) || NAME_KEYS.has(key))) return block;
  if (QUOTATION_KEYS.every((key) => !Object.hasOwn(block, key))) return block;
  const { annotations: _notes, citations: _quotes, ...rest } = block;
  return rest;
}

function unreadable(content: unknown): never {
  throw shapeError("expected readable message content", content, "pass a string or a list of content blocks");
}
