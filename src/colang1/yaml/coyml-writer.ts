import { COMPANIONS, ELEMENT_WRITERS, KNOWN_KEYS, MATCHERS } from "./coyml-elements.js";
import { hasComment, literal, readMap, type YamlElement } from "./coyml-values.js";

/** Where a value stands in the settings: `["flows", 0, "elements", 2]`. */
export type YamlPath = readonly (string | number)[];

export interface WrittenLine {
  readonly text: string;
  readonly path: YamlPath;
}

export interface YamlComplaint {
  readonly message: string;
  readonly hint: string | undefined;
  readonly path: YamlPath;
}

const MAX_DEPTH = 64;
const MAX_LINES = 100_000;
const MAX_COMPLAINTS = 200;

/** Writes the flows of the settings as Colang lines, remembering for each line where it comes from. */
export class CoymlWriter {
  readonly lines: WrittenLine[] = [];
  readonly complaints: YamlComplaint[] = [];

  writeFlows(flows: unknown): void {
    if (!Array.isArray(flows)) return this.complain(["flows"], "`flows` must be a list");
    for (const [index, flow] of flows.entries()) this.#writeFlow(flow, ["flows", index]);
  }

  /** Elements one after the other; lists side by side are the branches of one `when`. */
  writeElements(elements: unknown, path: YamlPath, depth: number): void {
    if (!Array.isArray(elements) || elements.length === 0) {
      return this.complain(path, "expected a list of elements", "for example `[{user: ask hours}, {bot: hours}]`");
    }
    if (depth > MAX_DEPTH) return this.complain(path, `elements are nested more than ${MAX_DEPTH} deep`);
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

  writeElement(element: unknown, path: YamlPath, depth: number): void {
    const keys = readMap(element);
    const key = keys?.keys().next().value;
    if (!keys || key === undefined) {
      return this.complain(path, "an element is a map with one key", "for example `user: ask hours`");
    }
    const write = ELEMENT_WRITERS.get(key);
    if (!write) return this.complain([...path, key], `unknown element \`${key}\``, `known are ${KNOWN_KEYS}`);
    const allowed = COMPANIONS.get(key) ?? [];
    for (const other of keys.keys()) {
      if (other !== key && !allowed.includes(other))
        this.complain([...path, other], `\`${other}\` does not belong here`);
    }
    write(this, keys, { key, path, depth });
  }

  /** A line that begins with a keyword and goes on with a value of the settings. */
  writeValue(keyword: string, value: unknown, path: YamlPath, depth: number): void {
    const text = this.readText(value, path);
    if (text !== undefined) this.line(`${keyword} ${text}`, path, depth);
  }

  /** The value as one line of text; a complaint when it is none. */
  readText(value: unknown, path: YamlPath): string | undefined {
    const text = typeof value === "number" || typeof value === "boolean" ? literal(value) : value;
    if (typeof text !== "string" || text.trim() === "") {
      this.complain(path, "expected a text");
      return undefined;
    }
    if (hasComment(text)) {
      this.complain(path, "`#` begins a comment in Colang", "put the text in quotes, or leave the sign out");
      return undefined;
    }
    return text.trim().replace(/\s*\n\s*/g, " ");
  }

  line(text: string, path: YamlPath, depth: number): void {
    if (this.lines.length === MAX_LINES) this.complain(path, `flows have more than ${MAX_LINES} elements`);
    if (this.lines.length <= MAX_LINES) this.lines.push({ text: "  ".repeat(depth) + text, path });
  }

  complain(path: YamlPath, message: string, hint?: string): void {
    if (this.complaints.length < MAX_COMPLAINTS) this.complaints.push({ message, hint, path });
  }

  /** A few aliases can stand for more elements than anyone can write out, so writing must come to an end. */
  get #isFull(): boolean {
    return this.lines.length > MAX_LINES || this.complaints.length >= MAX_COMPLAINTS;
  }

  #writeFlow(flow: unknown, path: YamlPath): void {
    const keys = readMap(flow);
    if (!keys) return this.complain(path, "a flow is a map with `id` and `elements`");
    for (const key of keys.keys()) {
      if (key !== "id" && key !== "elements") this.complain([...path, key], `a flow has no key \`${key}\``);
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

  /** What a branch waits for; the alternatives of `any` stand deeper than the body that follows them. */
  #writeHead(element: unknown, path: YamlPath, depth: number, keyword: string): boolean {
    const keys = readMap(element);
    const key = keys?.keys().next().value;
    if (!keys || key === undefined || !isAny(key)) {
      const matcher = this.#readMatcher(keys, path);
      if (matcher !== undefined) this.line(`${keyword} ${matcher}`, path, depth);
      return matcher !== undefined;
    }
    const alternatives = keys.get(key);
    if (!Array.isArray(alternatives) || alternatives.length === 0) {
      this.complain([...path, key], "expected a list of elements");
      return false;
    }
    this.line(`${keyword} any`, path, depth);
    for (const [index, one] of alternatives.entries()) {
      const place = [...path, key, index];
      const matcher = this.#readMatcher(readMap(one), place);
      if (matcher !== undefined) this.line(matcher, place, depth + 2);
    }
    return true;
  }

  #readMatcher(keys: YamlElement | undefined, path: YamlPath): string | undefined {
    const key = keys?.keys().next().value;
    const keyword = key === undefined ? undefined : MATCHERS.get(key);
    if (!keys || key === undefined || !keyword) {
      this.complain(path, "a branch begins with `user`, `bot`, `event` or `any`");
      return undefined;
    }
    const text = this.readText(keys.get(key), [...path, key]);
    return text && `${keyword} ${text}`;
  }
}

function isAny(key: string): boolean {
  return key === "any" || key === "or";
}
