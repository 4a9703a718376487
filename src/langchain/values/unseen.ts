import type { OptionRule } from "../../diagnostics/options.js";
import type { RailDecision, RailsStage } from "../../turn/decision.js";
import { isPlainName } from "../../turn/plain-name.js";

/** A part of a value that no rail can read. */
export interface UnseenPart {
  /** Its place, such as `messages[0].content[1].data`. */
  readonly path: string;
  /** `image`, `audio`, `video`, `file`, `artifact`, `invalid tool call`, `tool message`, `key`, or the type of its block. */
  readonly kind: string;
}

/** Consequence of a part that no rail can read: a block, an entry in the verdict, or nothing. */
export type UnseenPolicy = "block" | "report" | "allow";

/** The option that sets it. */
export const UNSEEN: OptionRule = { oneOf: ["block", "report", "allow"] };

/** Kinds that applications send and receive on purpose. Parts of any other kind have a shape that no reader knows. */
const KNOWN_KINDS: ReadonlySet<string> = new Set([
  "image",
  "audio",
  "video",
  "file",
  "artifact",
  "invalid tool call",
  "tool message",
  "key",
]);

/** Name of the decision about these parts. */
const UNSEEN_RAIL = "unseen parts";

const MAX_LISTED = 20;

/**
 * Decides about the parts of a value that no rail can read; undefined when nothing has to be decided.
 *
 * @param policy - for parts of every kind; unset, known kinds are reported and others block
 */
export function governUnseen(
  parts: readonly UnseenPart[],
  policy: UnseenPolicy | undefined,
  stage: RailsStage,
): RailDecision | undefined {
  if (parts.length === 0 || policy === "allow") return undefined;
  const blocking = parts.filter(({ kind }) => (policy ?? (KNOWN_KINDS.has(kind) ? "report" : "block")) === "block");
  const first = blocking[0];
  const unseen = [...blocking, ...parts.filter((part) => !blocking.includes(part))].slice(0, MAX_LISTED);
  return {
    status: first === undefined ? "passed" : "blocked",
    stage,
    rail: UNSEEN_RAIL,
    ...(first === undefined ? {} : { reason: `no rail can read the part \`${first.path}\`` }),
    durationMs: 0,
    metadata: { unseen },
  };
}

/** The path of a part. A key that is not a plain name may be a text of its own, so it is not repeated. */
export function pathOf(base: string, steps: readonly (string | number)[]): string {
  return steps.reduce<string>((path, step) => {
    if (typeof step === "number") return `${path}[${step}]`;
    const name = isPlainName(step) ? step : "…";
    return path === "" ? name : `${path}.${name}`;
  }, base);
}
