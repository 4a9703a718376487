/** Path of a value in the settings: `["flows", 0, "elements", 2]`. */
export type YamlPath = readonly (string | number)[];

const MAX_DEPTH = 64;
const MAX_LINES = 100_000;
const MAX_PROBLEMS = 200;

/** Writes the flows of the settings as Colang lines, recording the origin of each line. */
export class CoymlWriter {
  readonly lines: { readonly text: string; readonly path: YamlPath }[] = [];
  readonly problems: { readonly message: string; readonly hint: string | undefined; readonly path: YamlPath }[] = [];

  writeFlows(flows: unknown): void {
    if (!Array.isArray(flows)) return this.report(["flows"], "`flows` must be a list");
    for (const [index, flow] of flows.entries()) this.#writeFlow(flow, ["flows", index]);
  }

  /** Writes elements in order; adjacent lists are the branches of one `when`. */
  writeElements(elements: unknown, path: YamlPath, depth: number): void {
    if (!Array.isArray(elements) || elements.length === 0) {
      return this.report(path, "expected a list of elements", "for example `[{user: ask hours}, {bot: hours}]`");
    }
    if (depth > MAX_DEPTH) return this.report(path, `elements are nested more than ${MAX_DEPTH} deep`);
    let isFirstBranch = true;
    for (const [index, element] of elements.entries()) {
      if (this.#isFull) return;
      if (Array.isArray(element)) {
        this.#writeBranch(element, [...path, index], depth, isFirstBranch ? "when" : "else when");
        isFirstBranch = false;
      } else {
        this.writeElement(element, [...path, index], depth);
        isFirstBranch = true;
      }
    }
  }

  writeElement(written: unknown, path: YamlPath, depth: number): void {
    const element = readElement(written);
    if (!element) return this.report(path, "an element is a map with one key", "for example `user: ask hours`");
    const { key } = element;
    const write = ELEMENT_WRITERS.get(key);
    if (!write) return this.report([...path, key], `unknown element \`${key}\``, `known are ${KNOWN_KEYS}`);
    const allowed = COMPANIONS.get(key) ?? [];
    for (const other of element.others.keys()) {
      if (!allowed.includes(other)) this.report([...path, other], `\`${other}\` does not belong here`);
    }
    write(this, { ...element, path, depth });
  }

  /** Writes a line of a keyword and a value from the settings. */
  writeValue(keyword: string, value: unknown, path: YamlPath, depth: number): void {
    const text = this.readText(value, path);
    if (text !== undefined) this.line(`${keyword} ${text}`, path, depth);
  }

  /** Reads a value as one line of text, and reports any other value. */
  readText(value: unknown, path: YamlPath): string | undefined {
    const text = typeof value === "number" || typeof value === "boolean" ? literal(value) : value;
    if (typeof text !== "string" || text.trim() === "") return this.report(path, "expected a text");
    if (hasComment(text)) {
      return this.report(path, "`#` begins a comment in Colang", "put the text in quotes, or leave the sign out");
    }
    return text.trim().replace(/\s*\n\s*/g, " ");
  }

  line(text: string, path: YamlPath, depth: number): void {
    if (this.lines.length === MAX_LINES) this.report(path, `flows have more than ${MAX_LINES} elements`);
    if (this.lines.length <= MAX_LINES) this.lines.push({ text: "  ".repeat(depth) + text, path });
  }

  report(path: YamlPath, message: string, hint?: string): undefined {
    if (this.problems.length < MAX_PROBLEMS) this.problems.push({ message, hint, path });
  }

  /** A few aliases can represent very many elements, so writing stops at a limit. */
  get #isFull(): boolean {
    return this.lines.length > MAX_LINES || this.problems.length >= MAX_PROBLEMS;
  }

  #writeFlow(flow: unknown, path: YamlPath): void {
    const keys = readMap(flow);
    if (!keys) return this.report(path, "a flow is a map with `id` and `elements`");
    for (const key of keys.keys()) {
      if (key !== "id" && key !== "elements") this.report([...path, key], `a flow has no key \`${key}\``);
    }
    const id = keys.get("id");
    const name = id === undefined || id === null ? "" : this.readText(id, [...path, "id"]);
    if (name === undefined) return;
    this.line(`define flow ${name}`.trimEnd(), path, 0);
    this.writeElements(keys.get("elements"), [...path, "elements"], 1);
  }

  #writeBranch(branch: readonly unknown[], path: YamlPath, depth: number, keyword: string): void {
    if (!this.#writeHead(branch[0], [...path, 0], depth, keyword)) return;
    if (branch.length === 1) this.line("pass", path, depth + 1);
    for (const [index, element] of branch.slice(1).entries())
      this.writeElement(element, [...path, index + 1], depth + 1);
  }

  /** Writes the matchers of a branch; the alternatives of `any` are indented deeper than the body after them. */
  #writeHead(written: unknown, path: YamlPath, depth: number, keyword: string): boolean {
    const element = readElement(written);
    if (element?.key !== "any" && element?.key !== "or") return this.#writeMatcher(written, path, depth, `${keyword} `);
    const { key, value: alternatives } = element;
    if (!Array.isArray(alternatives) || alternatives.length === 0) {
      this.report([...path, key], "expected a list of elements");
      return false;
    }
    this.line(`${keyword} any`, path, depth);
    for (const [index, alternative] of alternatives.entries())
      this.#writeMatcher(alternative, [...path, key, index], depth + 2, "");
    return true;
  }

  #writeMatcher(written: unknown, path: YamlPath, depth: number, before: string): boolean {
    const { key = "", value } = readElement(written) ?? {};
    const keyword = MATCHERS.get(key);
    if (keyword === undefined) this.report(path, "a branch begins with `user`, `bot`, `event` or `any`");
    const text = keyword === undefined ? undefined : this.readText(value, [...path, key]);
    if (text !== undefined) this.line(`${before}${keyword} ${text}`, path, depth);
    return text !== undefined;
  }
}

type WriteElement = (
  writer: CoymlWriter,
  element: YamlElement & { readonly path: YamlPath; readonly depth: number },
) => void;

/** Keywords of Colang by the keys of matchers. */
const MATCHERS: ReadonlyMap<string, string> = new Map([
  ...["user", "intent", "you"].map((key) => [key, "user"] as const),
  ...["bot", "utter", "ask", "bot_ask"].map((key) => [key, "bot"] as const),
  ["event", "event"],
]);

/** Writes `key: text` as the line `keyword text`. */
function textLine(keyword: string): WriteElement {
  return (writer, { value, path, depth }) => writer.writeValue(keyword, value, path, depth);
}

/** Writes a key whose value is ignored: `stop:`. */
function bareLine(text: string): WriteElement {
  return (writer, { path, depth }) => writer.line(text, path, depth);
}

const writeRun: WriteElement = (writer, { value, path, depth }) => {
  const text = writer.readText(value, path);
  if (text === undefined) return;
  const [assignment = "", target] = /^(\$[\w.]+)\s*=\s*(?!=)(?:(?:execute|exec|run)\s+)?/.exec(text) ?? [];
  writer.line(`${target ? `${target} = ` : ""}execute ${text.slice(assignment.length)}`, path, depth);
};

const writeIf: WriteElement = (writer, { value, others, path, depth }) => {
  writer.writeValue("if", value, path, depth);
  writer.writeElements(others.get("then"), [...path, "then"], depth + 1);
  if (!others.has("else")) return;
  writer.line("else", [...path, "else"], depth);
  writer.writeElements(others.get("else"), [...path, "else"], depth + 1);
};

const writeWhile: WriteElement = (writer, { value, others, path, depth }) => {
  writer.writeValue("while", value, path, depth);
  writer.writeElements(others.get("do"), [...path, "do"], depth + 1);
};

const writeAny: WriteElement = (writer, { key, value, path, depth }) => {
  writer.line("any", path, depth);
  writer.writeElements(value, [...path, key], depth + 1);
};

/** `infer: Bell(times=2)`, or a list of `event`, `user` and `bot` elements, created in order. */
const writeEmit: WriteElement = (writer, { key, value, path, depth }) => {
  if (!Array.isArray(value)) return writer.writeValue("create event", value, path, depth);
  for (const [index, item] of value.entries()) {
    const place = [...path, key, index];
    const element = readElement(item);
    const keyword = element && MATCHERS.get(element.key);
    if (!keyword) writer.report(place, "expected `event`, `user` or `bot`");
    else writer.writeValue(keyword === "event" ? "create event" : `infer ${keyword}`, element.value, place, depth);
  }
};

const writeReturn: WriteElement = (writer, { value, path, depth }) => {
  if (value === null || value === undefined) writer.line("return", path, depth);
  else writer.writeValue("return", value, path, depth);
};

const writeMeta: WriteElement = (writer, { value, path, depth }) => {
  if (readMap(value)) writer.line(`meta ${literal(value)}`, path, depth);
  else writer.report(path, "`meta` is a map", "for example `meta: {priority: 2}`");
};

/** Writers of elements, by the key that gives an element its kind. */
const ELEMENT_WRITERS: ReadonlyMap<string, WriteElement> = new Map<string, WriteElement>([
  ...[...MATCHERS].map(([key, keyword]) => [key, textLine(keyword)] as const),
  ...["run", "action", "execute"].map((key) => [key, writeRun] as const),
  ["set", textLine("set")],
  ["if", writeIf],
  ["while", writeWhile],
  ...["any", "or"].map((key) => [key, writeAny] as const),
  ...["infer", "add", "new", "post"].map((key) => [key, writeEmit] as const),
  ...["flow", "call", "activate"].map((key) => [key, textLine("do")] as const),
  ...["label", "checkpoint"].map((key) => [key, textLine("label")] as const),
  ["goto", textLine("goto")],
  ["return", writeReturn],
  ["break", bareLine("break")],
  ["pass", bareLine("pass")],
  ["continue", bareLine("continue")],
  ...["stop", "abort"].map((key) => [key, bareLine("stop")] as const),
  ["check", textLine("check")],
  ["meta", writeMeta],
]);

const KNOWN_KEYS = [...ELEMENT_WRITERS.keys()].map((key) => `\`${key}\``).join(", ");

/** Further keys that an element may have. */
const COMPANIONS: ReadonlyMap<string, readonly string[]> = new Map([
  ["if", ["then", "else"]],
  ["while", ["do"]],
]);

/** An element of a YAML flow; its first key gives it its kind. */
interface YamlElement {
  readonly key: string;
  readonly value: unknown;
  /** The keys after the first. */
  readonly others: ReadonlyMap<string, unknown>;
}

function readElement(value: unknown): YamlElement | undefined {
  const [first, ...others] = readMap(value) ?? [];
  return first && { key: first[0], value: first[1], others: new Map(others) };
}

function readMap(value: unknown): ReadonlyMap<string, unknown> | undefined {
  const isMap = typeof value === "object" && value !== null && !Array.isArray(value);
  return isMap ? new Map(Object.entries(value)) : undefined;
}

/** A value as Colang writes it. */
function literal(value: unknown): string {
  if (value === null) return "None";
  if (typeof value === "boolean") return value ? "True" : "False";
  if (typeof value !== "object") return JSON.stringify(value);
  const entries = Object.entries(value).map(([key, member]) => `${JSON.stringify(key)}: ${literal(member)}`);
  return `{${entries.join(", ")}}`;
}

/** Returns true if a `#` stands outside quotes. */
function hasComment(text: string): boolean {
  let quote: string | undefined;
  for (let at = 0; at < text.length; at += 1) {
    const character = text[at];
    if (quote !== undefined) {
      if (character === "\\") at += 1;
      else if (character === quote) quote = undefined;
    } else if (character === "#") return true;
    else if (character === '"' || (character === "'" && !/\w/.test(text[at - 1] ?? ""))) quote = character;
  }
  return false;
}
