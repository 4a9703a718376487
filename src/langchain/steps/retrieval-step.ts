import { settleBlock } from "../blocked.js";
import type { GuardedCall, OnBlocked } from "../call.js";
import { distributeText } from "../content.js";
import { chunkText, evidenceTexts } from "../evidence.js";
import type { Host, HostSource } from "../host.js";
import { isObject } from "../message-kinds.js";
import { blockOf } from "../review.js";
import { shapeError } from "../shape-error.js";
import { GuardrailsStep } from "../step.js";
import { announceDecisions } from "../verdict.js";

export interface RetrievalStepOptions {
  /** The key under which an object carries its documents; `context` unless told. */
  readonly contextKey?: string;
  /** What a block does; a retrieval step throws unless told otherwise. `refuse` empties the evidence. */
  readonly onBlocked?: OnBlocked;
}

const QUESTION_KEYS = ["question", "input", "query"] as const;
const REMEDY =
  "pass documents, strings, or an object that carries them under `context` (or name yours with `contextKey`)";

/** Retrieval rails as a step: documents in, documents out, rewritten or without those a rail removed. */
export class RetrievalStep<T> extends GuardrailsStep<T, T> {
  static override lc_name(): string {
    return "GuardrailsRetrieval";
  }

  readonly #options: RetrievalStepOptions;

  constructor(host: HostSource, options: RetrievalStepOptions = {}) {
    super(host, "guardrails:retrieval");
    this.#options = options;
  }

  protected override async process(value: T, call: GuardedCall, host: Host): Promise<T> {
    const key = this.#options.contextKey ?? "context";
    const holder = isObject(value) && chunkText(value) === undefined ? value : undefined;
    const evidence: unknown = holder === undefined ? value : holder[key];
    const chunks = evidenceTexts(evidence);
    if (chunks === undefined) throw shapeError("there are no documents to check", value, REMEDY);
    const question = QUESTION_KEYS.map((name) => holder?.[name]).find((text) => typeof text === "string");
    const subject = { relevantChunks: chunks, userMessage: question as string | undefined };
    const result = await host.runtime.runStage("retrieval", subject, call.options);
    await announceDecisions(result.decisions, call.announce);
    const rebuild = (changed: unknown): T => (holder === undefined ? changed : { ...holder, [key]: changed }) as T;
    const block = blockOf(result, result.decisions);
    if (block === undefined)
      return result.status === "modified" ? rebuild(replaceChunks(evidence, chunks, result.relevantChunks)) : value;
    const onBlocked = this.#options.onBlocked ?? host.onBlocked ?? "throw";
    return (await settleBlock(block, value, onBlocked, () => rebuild(typeof evidence === "string" ? "" : []))) as T;
  }
}

/** Each document keeps its own lines where they can be told apart; one that lost all of them goes. */
function replaceChunks(evidence: unknown, chunks: readonly string[], text: string): unknown {
  if (!Array.isArray(evidence)) return text;
  const parts = distributeText(chunks, "\n", text);
  return evidence.flatMap((item: unknown, index) => {
    const part = parts[index] ?? "";
    if (part === chunks[index]) return [item];
    if (part === "") return [];
    if (typeof item === "string") return [part];
    const prototype = Object.getPrototypeOf(item) as object | null;
    return [Object.assign(Object.create(prototype) as object, item, { pageContent: part })];
  });
}
