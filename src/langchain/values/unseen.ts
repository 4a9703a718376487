import type { OptionTable } from "../../diagnostics/options.js";
import { isPlainName } from "../../turn/redact-data.js";

/** A part of a value that no rail can read. */
export interface UnseenPart {
  /** Path, such as `messages[0].content[1].data`. */
  readonly path: string;
  /** `image`, `audio`, `video`, `file`, `artifact`, `invalid tool call`, `tool message`, `key`, or the type of its block. */
  readonly kind: string;
}

/** Treatment of a part that no rail can read: a block, an entry in the verdict, or none. */
export type UnseenPolicy = "block" | "report" | "allow";

export interface UnseenOptions {
  /** Treatment of parts that no rail can read. Default: that of the guardrails object. */
  readonly unseen?: UnseenPolicy | undefined;
}

export const UNSEEN_OPTIONS: OptionTable<UnseenOptions> = { unseen: { oneOf: ["block", "report", "allow"] } };

/** The path of a part. A key that is not a plain name may be user text, so it is not repeated. */
export function pathOf(steps: readonly (string | number)[]): string {
  return steps.reduce<string>((path, step) => {
    if (typeof step === "number") return `${path}[${step}]`;
    const name = isPlainName(step) ? step : "…";
    return path === "" ? name : `${path}.${name}`;
  }, "");
}
