import type { VerdictDetails } from "../../actions/action.js";
import { fixDetails, isFixed } from "../../actions/fixed-details.js";
import type { Detector } from "../../detectors/detector.js";
import { Scanner } from "../../detectors/scan/scanner.js";
import type { MaybePromise } from "../../engine/async.js";
import { omitUndefined } from "../../engine/plain-data.js";

/** `rails.two_stage.<flow>`, with defaults filled in. */
export interface TwoStageSettings {
  readonly detectors: readonly string[];
  readonly pass_below: number;
  readonly block_from: number;
}

/** Detectors of a first stage by their names in the settings; loaded if listed. */
const DETECTORS: Readonly<Record<string, () => MaybePromise<Detector>>> = {
  code_injection: async () => (await import("../../detectors/code-injection/code-injection.js")).codeInjection(),
  exfiltration: async () => (await import("../../detectors/links/exfiltration.js")).exfiltration(),
  instructions: async () =>
    (await import("../../detectors/instructions/embedded-instructions.js")).embeddedInstructions(),
  jailbreak: async () => (await import("../../detectors/jailbreak/jailbreak-phrasing.js")).jailbreakPhrasing(),
  secrets: async () => (await import("../../detectors/secrets/secrets.js")).secrets(),
  toxic_words: async () => (await import("../../detectors/toxicity/toxic-words.js")).toxicWords(),
};

/** Result of the detectors for a text: a verdict, or `ask` for the model. */
interface FirstLook {
  readonly verdict: "allow" | "block" | "ask";
  /** Greatest score of the findings; 0 without findings. */
  readonly score: number;
  /** Types of the findings. */
  readonly categories: readonly string[];
}

/**
 * First stage of a two-stage rail: detectors decide clear cases, a model decides all others.
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
  readonly #known = new WeakMap<
    VerdictDetails,
    Pick<FirstLook, "verdict"> & { readonly share: number; readonly worded: Worded }
  >();
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

  /** Searches a text, and counts the cases that need the model. */
  look(text: string): FirstLook {
    const findings = this.#scanner.scan(text);
    const score = Math.max(0, ...findings.map((finding) => finding.score));
    const { pass_below: pass, block_from: block } = this.#settings;
    const verdict = score >= block ? "block" : score < pass ? "allow" : "ask";
    this.#texts += 1;
    if (verdict === "ask") this.#asked += 1;
    return { verdict, score, categories: [...new Set(findings.map(({ type }) => type))] };
  }

  /**
   * Returns the details for the decision. INVARIANT: they contain types of findings and never a text.
   *
   * @param base - details of the check, with the reason if the model decided
   */
  detailsOf({ verdict, score, categories }: FirstLook, base: VerdictDetails): VerdictDetails {
    const { pass_below: pass, block_from: block } = this.#settings;
    const worded = this.#wordedFor(verdict, base);
    if (verdict === "ask") return { score, ...worded };
    return verdict === "block"
      ? { categories, score, threshold: block, ...worded }
      : { score, threshold: pass, ...worded };
  }

  /** Returns the reason and the metadata; the same object for fixed details until the share of model calls changes. */
  #wordedFor(verdict: FirstLook["verdict"], base: VerdictDetails): Worded {
    const share = Math.round((this.#asked / this.#texts) * 1000) / 1000;
    const known = this.#known.get(base);
    if (known?.verdict === verdict && known.share === share) return known.worded;
    const decidedBy = verdict === "ask" ? "model" : "detectors";
    const worded: Worded = {
      ...(verdict === "ask" ? omitUndefined({ reason: base.reason }) : { reason: REASONS[verdict] }),
      metadata: { ...base.metadata, decidedBy, modelShare: share },
    };
    if (isFixed(base)) this.#known.set(base, { verdict, share, worded: fixDetails(worded) });
    return worded;
  }
}

type Worded = VerdictDetails & Required<Pick<VerdictDetails, "metadata">>;

const REASONS = {
  allow: "the detectors find nothing that the model has to see",
  block: "the detectors find a clear case",
} as const;

/** First stages of a configuration, by flow name. */
export type FirstStages = ReadonlyMap<string, FirstStage>;
