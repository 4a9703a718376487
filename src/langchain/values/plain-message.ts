import {
  AIMessageChunk,
  type AIMessageChunkFields,
  type BaseMessage,
  mergeUsageMetadata,
  type ToolCallChunk,
} from "@langchain/core/messages";
import { isPlain } from "../../engine/walk.js";
import { InputShapeError } from "../../diagnostics/errors.js";
import { copyOf, isOnlyText, MESSAGE_KEYS, type PlainObject } from "./message-kinds.js";

const MAX_VALUES = 100_000;
const MAX_DEPTH = 64;

/** Fields that are kept: an artifact may be of any class, and LangChain's own fields have no texts. */
const KEPT_FIELDS: ReadonlySet<string> = new Set(["artifact", "lc_kwargs", "lc_namespace"]);

/**
 * Returns the message with plain data in its fields. INVARIANT: rails read what providers, traces and `JSON.stringify`
 * get: getters are called once, `toJSON` is applied, and non-enumerable, inherited and symbol properties are dropped.
 */
export function plainMessage<M extends BaseMessage>(message: M): M {
  const fields = message as unknown as PlainObject;
  const changes: Record<string, unknown> = {};
  const content = Object.getOwnPropertyDescriptor(message, "content");
  let isSame = content !== undefined && "value" in content;
  if (!isSame) changes["content"] = plainData(message.content);
  // Loops over the keys allocate no lists: calls read many messages.
  for (const key in fields) {
    const field = Object.hasOwn(fields, key) ? fields[key] : undefined;
    if (typeof field !== "object" || field === null || KEPT_FIELDS.has(key) || isEmpty(field)) continue;
    const plain = plainData(field);
    if (plain === field) continue;
    changes[key] = plain;
    isSame = false;
  }
  const { lc_kwargs: kwargs } = fields;
  const isTrue = kwargs === undefined || repeatsFields(kwargs as PlainObject, fields);
  if (isSame && isTrue) return message;
  const copy = isSame ? copyOf(message, {}) : withFields(message, changes);
  return kwargs === undefined ? copy : Object.assign(copy, { lc_kwargs: fieldsOf(kwargs as PlainObject, copy) });
}

/** All fields of LangChain's chunks. */
const CHUNK_FIELDS: ReadonlySet<unknown> = new Set<unknown>([
  Symbol.for("langchain.message"),
  "lc_serializable",
  "lc_kwargs",
  "lc_namespace",
  "type",
  "id",
  "name",
  "content",
  "additional_kwargs",
  "response_metadata",
  "tool_calls",
  "invalid_tool_calls",
  "tool_call_chunks",
  "usage_metadata",
]);

/**
 * Returns the chunk with plain data in LangChain's own fields. INVARIANT: joining drops all others, and notes next to the counts
 * of tokens, so rails do not read them in the complete message, and no chunk is released with them.
 */
export function plainChunk(chunk: AIMessageChunk): AIMessageChunk {
  if (isBareChunk(chunk)) return chunk;
  const { usage_metadata: usage } = chunk;
  if (hasKnownFields(chunk) && holdsCounts(usage)) return plainMessage(chunk);
  const { id, name, content, additional_kwargs, response_metadata } = chunk;
  const { tool_calls, invalid_tool_calls, tool_call_chunks } = chunk;
  const fields = { id, name, content, additional_kwargs, response_metadata };
  const calls = { tool_calls, invalid_tool_calls, tool_call_chunks };
  const counts = usage === undefined ? {} : { usage_metadata: mergeUsageMetadata(usage) };
  return plainMessage(new AIMessageChunk({ ...fields, ...calls, ...counts } as AIMessageChunkFields));
}

/**
 * Returns true for a chunk with a text and no more, as most are. Each check is written for speed: a chunk without blocks, metadata
 * and calls has no place where a model's text could be hidden.
 */
function isBareChunk(chunk: AIMessageChunk): boolean {
  for (const key in chunk) if (!CHUNK_FIELDS.has(key)) return false;
  const { lc_kwargs: kwargs } = chunk;
  for (const key in kwargs) if (!CHUNK_FIELDS.has(key)) return false;
  const isOwn = Object.getOwnPropertyDescriptor(chunk, "content")?.value === kwargs?.["content"];
  return isOwn && chunk.usage_metadata === undefined && chunk.toJSON === TO_JSON && isOnlyText(chunk);
}

const { toJSON: TO_JSON } = AIMessageChunk.prototype;

function hasKnownFields(chunk: AIMessageChunk): boolean {
  for (const key of Reflect.ownKeys(chunk)) if (!CHUNK_FIELDS.has(key)) return false;
  return true;
}

/** Returns true for records of numbers, and records of such records. */
function holdsCounts(usage: unknown, depth = 0): boolean {
  if (usage === undefined || usage === null || typeof usage === "number") return true;
  if (typeof usage !== "object" || depth > 1) return false;
  return Reflect.ownKeys(usage).every((key) => {
    const count = Object.getOwnPropertyDescriptor(usage, key);
    return (
      typeof key === "string" &&
      /^\w{1,64}$/.test(key) &&
      count !== undefined &&
      "value" in count &&
      holdsCounts(count.value, depth + 1)
    );
  });
}

/**
 * Returns true for lists and maps without entries, including hidden and symbol keys, as most fields of a message are.
 */
function isEmpty(value: object): boolean {
  if (Array.isArray(value)) return value.length === 0 && Reflect.ownKeys(value).length === 1;
  return Object.getPrototypeOf(value) === Object.prototype && Reflect.ownKeys(value).length === 0;
}

/** Copies an object with these fields as values, even if its class computes them. */
function withFields<M extends BaseMessage>(message: M, changes: PlainObject): M {
  const copy = Object.create(Object.getPrototypeOf(message) as object | null) as M;
  const fields: object = { ...message, ...changes };
  // Includes symbols: LangChain identifies its messages by one.
  for (const key of Reflect.ownKeys(fields)) {
    const value: unknown = Reflect.get(fields, key);
    Object.defineProperty(copy, key, { value, enumerable: true, configurable: true, writable: true });
  }
  return copy;
}

/** Returns true if the serialized constructor arguments of a message equal its fields. */
function repeatsFields(kwargs: PlainObject, fields: PlainObject): boolean {
  for (const key in kwargs) {
    if (!Object.hasOwn(kwargs, key)) continue;
    if (key === "contentBlocks" || kwargs[key] === fields[key] || isAbsent(kwargs, fields, key)) continue;
    if (!repeatsEntries(kwargs[key], fields[key])) return false;
  }
  return true;
}

/** Returns true if the field has all entries of an object: LangChain copies a response's metadata to extend it. */
function repeatsEntries(given: unknown, field: unknown): boolean {
  if (typeof given !== "object" || given === null || typeof field !== "object" || field === null) return false;
  if (Object.getPrototypeOf(given) !== Object.prototype) return false;
  for (const key of Reflect.ownKeys(given)) {
    const property = Object.getOwnPropertyDescriptor(given, key);
    if (property?.enumerable !== true || !("value" in property) || !Object.hasOwn(field, key)) return false;
    if (property.value !== (field as Record<PropertyKey, unknown>)[key]) return false;
  }
  return true;
}

/** Returns true for a key without text: without a value, or a constructor argument whose value is not text. */
function isAbsent(kwargs: PlainObject, fields: PlainObject, key: string): boolean {
  const value = kwargs[key];
  if (value === undefined || value === null || typeof value === "boolean") return true;
  return MESSAGE_KEYS.has(key) && fields[key] === undefined && typeof value === "number";
}

function fieldsOf(kwargs: PlainObject, message: BaseMessage): PlainObject {
  const fields = message as unknown as PlainObject;
  const kept = Object.keys(kwargs).filter((key) => MESSAGE_KEYS.has(key) && key in fields);
  return Object.fromEntries([...kept, "content"].map((key) => [key, fields[key]]));
}

/** Returns the value if it is plain data, otherwise a plain copy. Bytes are unchanged. */
export function plainData<Value>(value: Value): Value {
  return isPlainData(value) ? value : (copyData(value, [], { values: 0 }) as Value);
}

function isBytes(value: object): boolean {
  return (
    ArrayBuffer.isView(value) || value instanceof ArrayBuffer || (typeof Blob === "function" && value instanceof Blob)
  );
}

/** Calls no getter; data with more values than the limit counts as plain, since no reader reads it. */
function isPlainData(value: unknown): boolean {
  if (typeof value !== "object" || value === null) return typeof value !== "function" && typeof value !== "symbol";
  const seen = new Set<object>();
  const stack: object[] = [value];
  for (let item = stack.pop(); item !== undefined && seen.size <= MAX_VALUES; item = stack.pop()) {
    if (seen.has(item) || isBytes(item)) continue;
    seen.add(item);
    if (!isPlain(item)) return false;
    const keys = Reflect.ownKeys(item);
    // A list may have other keys than its items.
    if (Array.isArray(item) && keys.length !== item.length + 1) return false;
    for (const key of keys) {
      if (key === "length" && Array.isArray(item)) continue;
      const property = Object.getOwnPropertyDescriptor(item, key);
      if (typeof key === "symbol" || property?.enumerable !== true || !("value" in property)) return false;
      const inner: unknown = property.value;
      if (typeof inner === "function" || typeof inner === "symbol") return false;
      if (typeof inner === "object" && inner !== null) stack.push(inner);
    }
  }
  return true;
}

/** @throws InputShapeError for data that is endless */
function copyData(value: unknown, around: readonly object[], size: { values: number }): unknown {
  if (typeof value === "function" || typeof value === "symbol") return undefined;
  if (typeof value !== "object" || value === null || isBytes(value)) return value;
  size.values += 1;
  if (around.includes(value) || around.length >= MAX_DEPTH || size.values > MAX_VALUES) {
    throw new InputShapeError("expected a message with plain data, got data that is too deep, too large or cyclic");
  }
  const inside = [...around, value];
  const json = toJsonOf(value);
  if (json !== undefined) return copyData(json.value, inside, size);
  if (Array.isArray(value)) return value.map((item: unknown) => copyData(item, inside, size));
  const entries = entriesOf(value).flatMap(([key, inner]) => {
    const copy = copyData(inner, inside, size);
    return copy === undefined ? [] : [[key, copy] as const];
  });
  return Object.fromEntries(entries);
}

/** INVARIANT: an error of the data may quote it, so that error is not rethrown. */
function readable<Result>(read: () => Result): Result {
  try {
    return read();
  } catch {
    throw new InputShapeError("expected a message with plain data, got data that cannot be read");
  }
}

function toJsonOf(value: object): { readonly value: unknown } | undefined {
  return readable(() => {
    const { toJSON } = value as { readonly toJSON?: unknown };
    return typeof toJSON === "function" ? { value: toJSON.call(value, "") as unknown } : undefined;
  });
}

function entriesOf(value: object): [string, unknown][] {
  return readable(() => Object.entries(value));
}

/** Fields of a message chunk that this package writes. */
interface TextChunkFields {
  readonly response_metadata?: Readonly<Record<string, unknown>>;
  readonly tool_call_chunks?: ToolCallChunk[];
  readonly id?: string | undefined;
}

/**
 * Makes a message chunk with all fields that the constructor would otherwise add to a copy of what it is given: V8 makes a
 * hidden class for each such copy, and keeps what the copy holds until the next full garbage collection.
 */
export function textChunk(
  content: string,
  { response_metadata, tool_call_chunks, id }: TextChunkFields = {},
): AIMessageChunk {
  const fields = {
    content,
    additional_kwargs: {},
    response_metadata: response_metadata ?? {},
    tool_calls: [],
    invalid_tool_calls: [],
    tool_call_chunks: tool_call_chunks ?? [],
    usage_metadata: undefined,
  };
  return new AIMessageChunk((id === undefined ? fields : { id, ...fields }) as object as AIMessageChunkFields);
}
