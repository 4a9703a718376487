import { createHash } from "node:crypto";
import { LRUCache } from "lru-cache";
import type { Diagnostic } from "../../diagnostics/diagnostic.js";
import { DiagnosticError } from "../../diagnostics/errors.js";
import { positionAt } from "../../diagnostics/source-file.js";
import type { Guardrails } from "../../langchain/guardrails.js";
import type { PlaygroundDraft, PlaygroundProblem } from "./wire.js";

/** Maximum number of changed configurations in memory; the least recently used one is removed first. */
const MAX_DRAFTS = 16;

const MAX_PROBLEMS = 100;

/** Files of a configuration by path. */
type Files = Readonly<Record<string, string>>;

/** Changed configurations of the playground, in memory. INVARIANT: each is found only under the configuration that it changes. */
export class Drafts {
  readonly #kept = new LRUCache<string, Guardrails>({ max: MAX_DRAFTS });
  readonly #make: (config: string, files: Files) => Promise<Guardrails>;

  /** @param make - creates a guardrails object from the files */
  constructor(make: (config: string, files: Files) => Promise<Guardrails>) {
    this.#make = make;
  }

  get(config: string, id: string): Guardrails | undefined {
    return this.#kept.get(keyOf(config, id));
  }

  /** Compiles a changed configuration, and returns its id and its problems. */
  async add(config: string, files: Files): Promise<PlaygroundDraft> {
    const id = idOf(files);
    try {
      const guardrails = this.get(config, id) ?? (await this.#make(config, files));
      this.#kept.set(keyOf(config, id), guardrails);
      return { draft: id, problems: problemsOf(guardrails.warnings) };
    } catch (error) {
      if (!DiagnosticError.isInstance(error)) throw error;
      return { problems: problemsOf(error.diagnostics) };
    }
  }
}

function keyOf(config: string, id: string): string {
  return `${id} ${config}`;
}

/** Returns an id that depends only on the files, so that undoing a change compiles nothing twice. */
function idOf(files: Files): string {
  const sorted = Object.entries(files).sort(([left], [right]) => (left < right ? -1 : 1));
  return createHash("sha256").update(JSON.stringify(sorted)).digest("hex").slice(0, 32);
}

function problemsOf(diagnostics: readonly Diagnostic[]): readonly PlaygroundProblem[] {
  return diagnostics.slice(0, MAX_PROBLEMS).map(({ severity, code, message, hint, span, path }) => {
    const place =
      span === undefined
        ? path === undefined
          ? {}
          : { file: path }
        : { file: span.source.name, ...positionAt(span.source, span.start) };
    return { severity, code, message, ...(hint === undefined ? {} : { hint }), ...place };
  });
}
