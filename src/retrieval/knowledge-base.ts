import type { EmbeddingsInterface } from "@langchain/core/embeddings";
import { GuardrailsError, LimitError } from "../diagnostics/errors.js";
import type { RunnableConfig } from "@langchain/core/runnables";
import type { CreateIndex, EmbeddingIndex, IndexItem } from "./embedding-index.js";
import { createNgramIndex } from "./matcher/ngram-index.js";

/** A result of a search. */
export interface KnowledgeChunk {
  readonly title: string;
  readonly body: string;
  /** Path of the document. */
  readonly file: string;
  /** Metadata of the document, from its leading fenced block. */
  readonly metadata: Readonly<Record<string, unknown>>;
  /** Absent if a retriever returns none. */
  readonly score?: number;
}

/** The port of knowledge: documents of a configuration, a vector store, or a retriever. */
export interface KnowledgeBase {
  /** Returns the chunks nearest to a question, best first. Default of `maxResults`: that of the knowledge base. */
  search(
    query: string,
    maxResults?: number,
    call?: { readonly config?: RunnableConfig | undefined; readonly signal?: AbortSignal | undefined },
  ): Promise<readonly KnowledgeChunk[]>;
}

/** A chunk as stored in an index. */
export type ChunkItem = IndexItem<Omit<KnowledgeChunk, "score">>;

interface KnowledgeBaseOptions {
  readonly documents: readonly { readonly path: string; readonly content: string }[];
  readonly embeddings?: EmbeddingsInterface | undefined;
  /** Number of chunks per search. Default: 3. */
  readonly topK?: number | undefined;
  /** Minimum score of a chunk. */
  readonly minScore?: number | undefined;
  /** Number of characters after which a blank line ends a chunk. Default: 400. */
  readonly chunkSize?: number | undefined;
  /** Required with embeddings. Default: `createNgramIndex`. */
  readonly createIndex?: CreateIndex<ChunkItem> | undefined;
}

/** Opens the knowledge base of a configuration; null if there is no content. */
export type OpenKnowledge = (options: KnowledgeBaseOptions) => KnowledgeBase | null | Promise<KnowledgeBase | null>;

const DEFAULT_TOP_K = 3;
const MAX_DOCUMENT = 20_000_000;
const MAX_CHUNKS = 100_000;
const MAX_METADATA_VALUES = 10_000;
const MAX_METADATA_DEPTH = 32;

/**
 * A knowledge base over markdown documents. Sizes are checked at once; splitting and embedding wait for the first
 * search.
 *
 * @throws LimitError if a document is too large
 *
 * @example
 * ```ts
 * const kb = createKnowledgeBase({ documents: [{ path: "kb/bikes.md", content: "# Bikes\n\nWe sell bikes." }] });
 * const [best] = await kb.search("do you sell bikes?");
 * ```
 */
export function createKnowledgeBase(options: KnowledgeBaseOptions): KnowledgeBase {
  for (const { path, content } of options.documents) {
    if (content.length > MAX_DOCUMENT) {
      const message = `document \`${path}\` has ${content.length} characters, more than the ${MAX_DOCUMENT} a knowledge base takes`;
      throw new LimitError(message, { limit: "knowledge_document_length", maximum: MAX_DOCUMENT });
    }
  }
  let building: Promise<EmbeddingIndex<ChunkItem>> | undefined;
  const ready = (): Promise<EmbeddingIndex<ChunkItem>> => {
    building ??= buildIndex(options).catch((error: unknown) => {
      building = undefined;
      throw error;
    });
    return building;
  };
  return {
    search: async (query, maxResults = options.topK ?? DEFAULT_TOP_K) => {
      const index = await ready();
      const hits = await index.search(query, maxResults);
      return hits.map(({ item, score }) => ({ ...item.meta, score }));
    },
  };
}

async function buildIndex(options: KnowledgeBaseOptions): Promise<EmbeddingIndex<ChunkItem>> {
  const items: ChunkItem[] = [];
  for (const { path, content } of options.documents) {
    const { chunks, metadata: yaml } = chunkMarkdown(content, options.chunkSize);
    const metadata = yaml === undefined ? {} : await readMetadata(yaml, path);
    if (items.length + chunks.length > MAX_CHUNKS) {
      const message = `expected at most ${MAX_CHUNKS} chunks in the documents, found more`;
      throw new LimitError(message, { limit: "knowledge_chunks", maximum: MAX_CHUNKS });
    }
    for (const chunk of chunks) items.push({ text: chunkText(chunk), meta: { ...chunk, file: path, metadata } });
  }
  const createIndex = options.createIndex ?? createNgramIndex;
  return createIndex({ items, embeddings: options.embeddings, threshold: options.minScore });
}

async function readMetadata(yaml: string, path: string): Promise<Readonly<Record<string, unknown>>> {
  const { load } = await import("js-yaml");
  let value: unknown;
  try {
    value = yaml.trim() === "" ? {} : load(yaml);
  } catch (error) {
    const message = `expected YAML in the first block of the document \`${path}\``;
    throw new GuardrailsError(message, { code: "CF-102", cause: error });
  }
  if (!isSmall(value, 0, { left: MAX_METADATA_VALUES })) {
    const message =
      `the first block of document \`${path}\` holds more than ${MAX_METADATA_VALUES} values, ` +
      `or nests deeper than ${MAX_METADATA_DEPTH}`;
    throw new LimitError(message, { limit: "knowledge_metadata", maximum: MAX_METADATA_VALUES });
  }
  return typeof value === "object" && value !== null && !Array.isArray(value) ? (value as Record<string, unknown>) : {};
}

/** INVARIANT: nested aliases may expand to billions of values, and a self-reference endlessly. */
function isSmall(value: unknown, depth: number, budget: { left: number }): boolean {
  budget.left -= 1;
  if (budget.left < 0 || depth > MAX_METADATA_DEPTH) return false;
  if (typeof value !== "object" || value === null) return true;
  return Object.values(value).every((inner) => isSmall(inner, depth + 1, budget));
}

/** A part of a document that is found and quoted as a whole. */
interface MarkdownChunk {
  /** The headings above it, joined with ` - `; empty before the first heading. */
  readonly title: string;
  readonly body: string;
}

interface MarkdownDocument {
  readonly chunks: readonly MarkdownChunk[];
  /** YAML text of a fenced block at the very start, which describes the document. */
  readonly metadata: string | undefined;
}

const DEFAULT_SIZE = 400;

/** A chunk without blank lines ends at a line end once it is this many times too long. */
const HARD_FACTOR = 10;

/**
 * Splits markdown into chunks: at each heading, and at a blank line once the chunk has more than `size` characters.
 * Headings and blank lines inside fenced code belong to the code.
 *
 * @example
 * ```ts
 * chunkMarkdown("# Bikes\n\nWe sell bikes.\n\n## Repair\n\nAlso that.").chunks;
 * // [{ title: "Bikes", body: "We sell bikes." }, { title: "Bikes - Repair", body: "Also that." }]
 * ```
 */
export function chunkMarkdown(content: string, size: number = DEFAULT_SIZE): MarkdownDocument {
  const lines = content.replace(/^\ufeff/, "").split(/\r\n|\n|\r/);
  const { metadata, next } = splitMetadata(lines);
  const chunks: MarkdownChunk[] = [];
  const titles: string[] = [];
  let body: string[] = [];
  let length = 0;
  let fence: string | undefined;
  const close = (): void => {
    const text = body.join("\n").trim();
    if (text !== "") chunks.push({ title: titles.filter((part) => part !== "").join(" - "), body: text });
    body = [];
    length = 0;
  };
  for (const line of lines.slice(next)) {
    const wasFenced = fence !== undefined;
    fence = nextFence(line, fence);
    const heading = wasFenced || fence !== undefined ? undefined : readHeading(line);
    if (heading) {
      close();
      titles.length = Math.min(titles.length, heading.level - 1);
      while (titles.length < heading.level - 1) titles.push("");
      titles.push(heading.text);
      continue;
    }
    for (let at = 0; at === 0 || at < line.length; at += size * HARD_FACTOR) {
      const piece = line.slice(at, at + size * HARD_FACTOR);
      body.push(piece);
      length += piece.length;
      if (length >= size * HARD_FACTOR) close();
    }
    if (line.trim() === "" && fence === undefined && length > size) close();
  }
  close();
  return { chunks, metadata };
}

/** Text by which a chunk is found. */
export function chunkText({ title, body }: MarkdownChunk): string {
  return title === "" ? body : `# ${title}\n\n${body}`;
}

function splitMetadata(lines: readonly string[]): { readonly metadata: string | undefined; readonly next: number } {
  const start = lines.findIndex((line) => line.trim() !== "");
  const opening = start === -1 ? "" : (lines[start] as string).trim();
  if (!/^```(?:ya?ml)?$/.test(opening)) return { metadata: undefined, next: 0 };
  const length = lines.slice(start + 1).findIndex((line) => line.trim() === "```");
  if (length === -1) return { metadata: undefined, next: 0 };
  return { metadata: lines.slice(start + 1, start + 1 + length).join("\n"), next: start + length + 2 };
}

/** Returns the fence that is open after a line. */
function nextFence(line: string, open: string | undefined): string | undefined {
  const mark = /^ {0,3}(`{3,}|~{3,})(.*)$/.exec(line);
  if (!mark) return open;
  const [, fence = "", rest = ""] = mark;
  if (open === undefined) return fence.startsWith("`") && rest.includes("`") ? undefined : fence;
  return fence[0] === open[0] && fence.length >= open.length && rest.trim() === "" ? undefined : open;
}

function readHeading(line: string): { readonly level: number; readonly text: string } | undefined {
  const level = /^ {0,3}(#{1,6})(?=[ \t]|$)/.exec(line)?.[1]?.length;
  if (level === undefined) return undefined;
  let text = line.trim().slice(level).trim();
  let end = text.length;
  while (text[end - 1] === "#") end -= 1;
  if (end === 0 || text[end - 1] === " ") text = text.slice(0, end).trim();
  return { level, text };
}
