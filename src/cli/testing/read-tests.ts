import { RE2JS } from "re2js";
import { z } from "zod/v4";
import { formatPath, keySpanAt, nodeAt, type RawMap, toPlain } from "../../config/yaml/raw-node.js";
import { readYaml } from "../../config/yaml/read-yaml.js";
import { createDiagnostic, type Diagnostic } from "../../diagnostics/diagnostic.js";
import { EvaluationDataError } from "../../diagnostics/errors.js";
import { createSourceFile, type SourceFile, type Span } from "../../diagnostics/source-file.js";
import { didYouMean } from "../../diagnostics/suggestion.js";
import { readCsv } from "./csv.js";

const string = z.string({ error: "expected a text" });
const texts = z.union([z.string(), z.array(z.string())], { error: "expected a text or a list of texts" });
const pattern = string.refine(isPattern, { error: "expected a regular expression of RE2, which has no lookarounds" });

/** Fields of a turn: the user's message, replies of scripted models, expectations. */
const TURN = {
  user: string,
  /** Replies of the scripted main model, in order. */
  reply: texts.optional(),
  /** Replies of other scripted models by type; those of judges by task. */
  models: z.record(z.string(), texts, { error: "expected replies by the type of a model" }).optional(),
  bot: string.optional(),
  contains: texts.optional(),
  excludes: texts.optional(),
  matches: pattern.optional(),
  blocked: z.boolean({ error: "expected `true` or `false`" }).optional(),
  rail: string.optional(),
};

const turnSchema = strictObject(TURN, "expected a turn, with `user` and what is expected");
const variables = z.record(z.string(), z.unknown(), { error: "expected variables by name" });
const about = { name: string.optional(), context: variables.optional() };
const turns = z
  .array(turnSchema, { error: "expected a list of turns, or `user`" })
  .min(1, "expected at least one turn");
const CONVERSATION = "expected a conversation, with `user` or `turns`";
const talkSchema = strictObject({ ...about, turns }, CONVERSATION);
const shortSchema = strictObject({ ...about, ...TURN }, CONVERSATION);

/** An object without further keys; `error` describes any other value. */
function strictObject<Shape extends z.ZodRawShape>(shape: Shape, error: string) {
  return z.strictObject(shape, { error: ({ code }) => (code === "invalid_type" ? error : undefined) });
}

export type TestTurn = z.infer<typeof turnSchema>;

/** A conversation with expectations. */
export interface TestConversation {
  readonly file: string;
  readonly name: string;
  readonly context: Readonly<Record<string, unknown>>;
  readonly turns: readonly TestTurn[];
}

/**
 * Reads conversations with expectations from a YAML or a CSV file.
 *
 * @throws EvaluationDataError with all problems of the file
 */
export async function readTests(name: string, text: string): Promise<readonly TestConversation[]> {
  const source = createSourceFile(name, text);
  const { found, problems } = name.endsWith(".csv") ? readRows(source) : await readDocument(source);
  if (found.length === 0 && problems.length === 0) {
    problems.push(createDiagnostic("EV-103", "the file holds no conversations", { path: name, hint: HINT }));
  }
  if (problems.length > 0) throw new EvaluationDataError(problems);
  return found;
}

const HINT = "write a list `conversations`, each with `user` and what is expected, or with `turns`";

/** Keys of configurations, which are easily passed in place of a test. */
const CONFIGURATION = ["models", "rails", "prompts", "colang_version", "instructions", "extends"];

const KEYS = [...Object.keys(TURN), "name", "context", "turns"];

interface Read {
  readonly found: TestConversation[];
  readonly problems: Diagnostic[];
}

async function readDocument(source: SourceFile): Promise<Read> {
  const { root, diagnostics } = await readYaml(source);
  const read: Read = { found: [], problems: [...diagnostics] };
  if (root === undefined) return read;
  const plain = toPlain(root) as Readonly<Record<string, unknown>>;
  const unknown = Object.keys(plain).filter((key) => key !== "conversations");
  if (CONFIGURATION.some((key) => unknown.includes(key)) && plain["conversations"] === undefined) {
    const message = "the file is a configuration and holds no conversations";
    read.problems.push(createDiagnostic("EV-103", message, { path: source.name, hint: HINT }));
    return read;
  }
  for (const key of unknown) read.problems.push(unknownKey(root, [key], HINT));
  const { conversations = [] } = plain;
  if (!Array.isArray(conversations)) {
    read.problems.push(problemAt(root, ["conversations"], "expected a list of conversations", HINT));
    return read;
  }
  for (const [index, item] of conversations.entries()) {
    const isShort = typeof item === "object" && item !== null && "user" in item;
    const parsed = (isShort ? shortSchema : talkSchema).safeParse(item);
    if (parsed.success) read.found.push(conversationOf(parsed.data, source.name, index));
    else {
      for (const issue of parsed.error.issues) {
        const path = ["conversations", index, ...issue.path.map((key) => (typeof key === "symbol" ? "" : key))];
        if (issue.code !== "unrecognized_keys") read.problems.push(problemAt(root, path, issue.message));
        else for (const key of issue.keys) read.problems.push(unknownKey(root, [...path, key], didYouMean(key, KEYS)));
      }
    }
  }
  return read;
}

type Short = z.infer<typeof shortSchema>;
type Talk = z.infer<typeof talkSchema>;

function conversationOf(given: Short | Talk, file: string, index: number): TestConversation {
  const { name, context = {}, ...rest } = given;
  const turns = "turns" in rest ? rest.turns : [rest];
  return { file, name: name ?? turns[0]?.user ?? `conversation ${index + 1}`, context, turns };
}

function problemAt(root: RawMap, path: readonly (string | number)[], message: string, hint?: string): Diagnostic {
  // A missing part is reported at its parent.
  const known = path
    .map((_, at) => nodeAt(root, path.slice(0, path.length - at))?.span)
    .find((span) => span !== undefined);
  return createDiagnostic("EV-102", `${formatPath(path)}: ${message}`, { span: known, hint });
}

function unknownKey(root: RawMap, path: readonly (string | number)[], hint: string | undefined): Diagnostic {
  const message = `${formatPath(path)}: unknown key \`${path.at(-1)}\``;
  return createDiagnostic("EV-102", message, { span: keySpanAt(root, path), hint });
}

const CSV_HINT = "put quotes around a cell that has commas, and write quotes in it twice";

const COLUMNS = [
  "conversation",
  "name",
  "user",
  "reply",
  "bot",
  "contains",
  "excludes",
  "matches",
  "blocked",
  "rail",
] as const;

/** Rows with the same `conversation` are turns of one conversation; a row without it is a separate conversation. */
function readRows(source: SourceFile): Read {
  const [header, ...rows] = readCsv(source);
  const read: Read = { found: [], problems: [] };
  if (header === undefined) return read;
  for (const column of header.cells.filter((name) => !COLUMNS.some((known) => known === name))) {
    const hint = didYouMean(column, COLUMNS) ?? `there are ${COLUMNS.map((name) => `\`${name}\``).join(", ")}`;
    read.problems.push(createDiagnostic("EV-102", `unknown column \`${column}\``, { span: header.span, hint }));
  }
  const repeated = header.cells.find((name, index) => header.cells.indexOf(name) !== index);
  if (repeated !== undefined) {
    read.problems.push(createDiagnostic("EV-102", `the column \`${repeated}\` stands twice`, { span: header.span }));
  }
  const open = new Map<string, TestTurn[]>();
  for (const { cells, span, mistake } of rows) {
    const tooMany = `${cells.length} cells for ${header.cells.length} columns`;
    const wrong = mistake ?? (cells.length > header.cells.length ? tooMany : undefined);
    if (wrong !== undefined) {
      read.problems.push(createDiagnostic("EV-102", wrong, { span, hint: CSV_HINT }));
      continue;
    }
    const row = new Map(header.cells.map((name, index) => [name, cells[index] ?? ""]));
    const turn = readRow(row, span, read.problems);
    if (turn === undefined) continue;
    const id = row.get("conversation") ?? "";
    const earlier = id === "" ? undefined : open.get(id);
    if (earlier !== undefined) {
      earlier.push(turn);
      continue;
    }
    const turns = [turn];
    if (id !== "") open.set(id, turns);
    const name = row.get("name") || id || turn.user;
    read.found.push({ file: source.name, name, context: {}, turns });
  }
  return read;
}

const SWITCHES: Readonly<Record<string, boolean>> = { true: true, yes: true, false: false, no: false };

function readRow(row: ReadonlyMap<string, string>, span: Span, problems: Diagnostic[]): TestTurn | undefined {
  const fields: Record<string, unknown> = {};
  for (const [name, value] of row) {
    if (value !== "" && name in TURN)
      fields[name] = name === "blocked" ? (SWITCHES[value.toLowerCase()] ?? value) : value;
  }
  const parsed = turnSchema.safeParse(fields);
  if (parsed.success) return parsed.data;
  for (const issue of parsed.error.issues) {
    problems.push(createDiagnostic("EV-102", `\`${formatPath(issue.path)}\`: ${issue.message}`, { span }));
  }
  return undefined;
}

function isPattern(text: string): boolean {
  try {
    RE2JS.compile(text);
    return true;
  } catch {
    return false;
  }
}
