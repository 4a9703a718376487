import { canaryTokens } from "../../detectors/prompt-leak/canary-tokens.js";
import { promptEcho } from "../../detectors/prompt-leak/prompt-echo.js";
import { detectionActions, prepareDetection } from "../detection.js";
import { detectorFor } from "../detection-checks.js";

const RAIL = "prompt-leak";

/** `rails.config.prompt_leak`, with defaults filled in. */
interface LeakSettings {
  readonly prompts?: readonly string[];
  readonly instructions?: boolean;
  readonly canary_tokens?: readonly string[] | null;
  readonly least_words?: number;
}

/** Minimum length of instructions in characters; shorter ones contain nothing to leak. */
const SHORTEST = 12;

/** Actions of the rail. */
export const actions = detectionActions(RAIL, "prompt leak");

/** Creates a detector for each prompt, and one for all tokens. */
export const prepare = prepareDetection({
  rail: RAIL,
  detectors(settings, { report, config }) {
    const {
      prompts = [],
      instructions = true,
      canary_tokens: tokens,
      least_words: least = SHORTEST,
    } = settings as LeakSettings;
    const own = instructions ? config.instructions.map(({ content }) => content).filter(isLong) : [];
    const known = [
      ...prompts.map((prompt, index) => [["prompts", index], prompt] as const),
      ...own.map((prompt) => [["instructions"], prompt] as const),
    ];
    const echoes = known.flatMap(([path, prompt]) =>
      detectorFor(path, () => promptEcho(prompt, { least }), { report }),
    );
    if (known.length === 0 && (tokens ?? []).length === 0) {
      const hint = "add the system prompt under `prompts`, or tokens that stand in it under `canary_tokens`";
      report({ path: [], message: "the rail knows no prompt that could leak", hint });
    }
    if (tokens === null || tokens === undefined) return echoes;
    return [...echoes, ...detectorFor(["canary_tokens"], () => canaryTokens(tokens), { report })];
  },
});

function isLong(text: string): boolean {
  return text.split(/\s+/).length >= SHORTEST;
}
