import type { VerdictDetails } from "../../actions/action.js";
import type { Detector } from "../../detectors/detector.js";
import { Scanner } from "../../detectors/scan/scanner.js";
import type { MaybePromise } from "../../engine/async.js";

/** `rails.two_stage.<flow>`, complete with defaults. */
export interface TwoStageSettings {
  readonly detectors: readonly string[];
  readonly pass_below: number;
  readonly block_from: number;
}

/** Detectors of a first stage by their names in the settings; each is loaded when it is listed. */
const DETECTORS: Readonly<Record<string, () => MaybePromise<Detector>>> = {
  code_injection: async () => (await import("../../detectors/code-injection/code-injection.js")).codeInjection(),
  exfiltration: async () => (await import("../../detectors/links/exfiltration.js")).exfiltration(),
  instructions: async () =>
    (await import("../../detectors/instructions/embedded-instructions.js")).embeddedInstructions(),
  jailbreak: async () => (await import("../../detectors/jailbreak/jailbreak-phrasing.js")).jailbreakPhrasing(),
  secrets: async () => (await import("../../detectors/secrets/secrets.js")).secrets(),
  toxic_words: async () => (await import("../../detectors/toxicity/toxic-words.js")).toxicWords(),
};

/** View of detectors on a text: a clear case, or one for the model. */
interface FirstLook {
  readonly verdict: "allow" | "block" | "ask";
  /** Greatest score of what was found; 0 if nothing was. */
  readonly score: number;
  /** Types of what was found. */
  readonly categories: readonly string[];
}

/**
 * The first of two stages of a check: detectors decide clear cases, and a model the others.
 *
 * @example
 * ```ts
 * const stage = await FirstStage.open({ detectors: ["jailbreak"], pass_below: 0.1, block_from: 0.9 });
 * stage.look("What is rye?").verdict; // "allow"
 * ```
 */
export class FirstStage {
  readonly #scanner: Scanner;
  readonly #settings: TwoStageSettings;
  #texts = 0;
  #asked = 0;

  private constructor(detectors: readonly Detector[], settings: TwoStageSettings) {
    this.#scanner = new Scanner(detectors, { threshold: 0 });
    this.#settings = settings;
  }

  static async open(settings: TwoStageSettings): Promise<FirstStage> {
    const detectors = settings.detectors.flatMap((name) =>
      Object.hasOwn(DETECTORS, name) ? (DETECTORS[name] ?? []) : [],
    );
    return new FirstStage(await Promise.all(detectors.map((make) => make())), settings);
  }

  /** Looks at a text, and counts whether the model is needed. */
  look(text: string): FirstLook {
    const findings = this.#scanner.scan(text);
    const score = Math.max(0, ...findings.map((finding) => finding.score));
    const { pass_below: pass, block_from: block } = this.#settings;
    const verdict = score >= block ? "block" : score < pass ? "allow" : "ask";
    this.#texts += 1;
    if (verdict === "ask") this.#asked += 1;
    return { verdict, score, categories: [...new Set(findings.map(({ type }) => type))] };
  }

  /** Details for the decision. INVARIANT: they name types of findings and never quote a text. */
  detailsOf({ verdict, score, categories }: FirstLook, metadata: VerdictDetails["metadata"]): VerdictDetails {
    const { pass_below: pass, block_from: block } = this.#settings;
    const share = Math.round((this.#asked / this.#texts) * 1000) / 1000;
    const stages = { ...metadata, decidedBy: verdict === "ask" ? "model" : "detectors", modelShare: share };
    if (verdict === "ask") return { score, metadata: stages };
    const isBlock = verdict === "block";
    return {
      reason: `the detectors ${isBlock ? "find a clear case" : "find nothing that the model has to see"}`,
      ...(isBlock ? { categories } : {}),
      score,
      threshold: isBlock ? block : pass,
      metadata: stages,
    };
  }
}

/** First stages of a configuration, by the names of flows. */
export type FirstStages = ReadonlyMap<string, FirstStage>;
