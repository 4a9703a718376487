import { checkOptions, type OptionTable } from "../../diagnostics/options.js";
import type { DataFolder } from "../dataset/data-folder.js";
import { RUN_OPTIONS, type RunOptions } from "../run/run-samples.js";
import { evaluateCodeInjection } from "./code-injection.js";
import { createContext, type DetectorContext } from "./context.js";
import { evaluateCost } from "./cost.js";
import { evaluateDisguises } from "./disguises.js";
import { evaluateIndirectInjection } from "./indirect-injection.js";
import { evaluateJailbreak } from "./jailbreak.js";
import { evaluatePersonalData } from "./personal-data.js";
import { evaluatePersonalNumbers } from "./personal-numbers.js";
import type { DetectorSection, DetectorsResult } from "./result.js";
import { evaluateSecrets } from "./secrets.js";
import { evaluateToxicWords } from "./toxic-words.js";

/** Options of `evaluateDetectors`. */
export interface DetectorsOptions extends Pick<RunOptions, "signal" | "onProgress" | "seed" | "now"> {
  /** Number of generated values per kind. Default: 500. */
  readonly generated?: number | undefined;
}

const { signal, onProgress, seed, now } = RUN_OPTIONS;
const OPTIONS: OptionTable<DetectorsOptions> = { signal, onProgress, seed, now, generated: "number" };
const DEFAULT_SEED = 42;
const DEFAULT_GENERATED = 500;

const SECTIONS: readonly ((context: DetectorContext) => DetectorSection | Promise<DetectorSection>)[] = [
  evaluatePersonalData,
  evaluatePersonalNumbers,
  evaluateSecrets,
  evaluateJailbreak,
  evaluateIndirectInjection,
  evaluateCodeInjection,
  evaluateDisguises,
  evaluateToxicWords,
  evaluateCost,
];

/**
 * Recall, precision and rates of false positives of all detectors, on the data sets of a folder and on texts that are generated
 * by seed, with the cost of each. Data sets that are not there are skipped and named in the result.
 *
 * @throws EvaluationDataError for malformed rows
 *
 * @example
 * ```ts
 * const result = await evaluateDetectors(openDataFolder("./data"));
 * console.log(formatText([result]));
 * ```
 */
export async function evaluateDetectors(data: DataFolder, options: DetectorsOptions = {}): Promise<DetectorsResult> {
  checkOptions("evaluateDetectors", options, OPTIONS);
  const run = options.seed ?? DEFAULT_SEED;
  const context = await createContext(data, {
    seed: run,
    generated: options.generated ?? DEFAULT_GENERATED,
    now: options.now ?? (() => performance.now()),
  });
  const sections: DetectorSection[] = [];
  for (const [done, evaluate] of SECTIONS.entries()) {
    options.signal?.throwIfAborted();
    options.onProgress?.({ label: "detectors", done, total: SECTIONS.length });
    const section = await evaluate(context);
    if (section.rows.length > 0) sections.push(section);
  }
  return {
    kind: "detectors",
    dataset: "detectors",
    system: "local",
    seed: run,
    errors: 0,
    cost: [],
    sections,
    skipped: [...context.skipped].toSorted(),
  };
}
