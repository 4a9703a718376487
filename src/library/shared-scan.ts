import type { Detector } from "../detectors/detector.js";
import type { Finding } from "../detectors/finding.js";
import { Scanner } from "../detectors/scan/scanner.js";
import type { ScanGroup } from "./rail-manifest.js";

/** Number of texts whose findings are cached: the rails of a stage read the same text in turn. */
const KEPT_TEXTS = 4;
/** Length limit of a cached text in characters. */
const LONGEST_KEPT = 100_000;

interface ScanningRail {
  readonly rail: string;
  readonly threshold: number;
}

/**
 * One scan for all rails of a stage: the first rail that reads a text scans it for all others. Rails are added while a
 * configuration loads.
 */
export class SharedScan implements ScanGroup {
  readonly #detectors: Detector[] = [];
  readonly #rails = new Map<string, ScanningRail>();
  readonly #kept = new Map<string, ReadonlyMap<string, readonly Finding[]>>();
  #scanner: Scanner | undefined;

  /** Adds the detectors of a rail; returns the search function of the rail. Its findings may overlap. */
  add(rail: string, detectors: readonly Detector[], threshold: number): (text: string) => readonly Finding[] {
    this.#scanner = undefined;
    this.#kept.clear();
    for (const detector of detectors) {
      const name = `${this.#rails.size}/${detector.name}`;
      this.#rails.set(name, { rail, threshold });
      this.#detectors.push({ ...detector, name });
    }
    return (text) => this.#scan(text).get(rail) ?? [];
  }

  #scan(text: string): ReadonlyMap<string, readonly Finding[]> {
    const kept = this.#kept.get(text);
    if (kept !== undefined) return kept;
    const findings = this.#findingsOf(text);
    if (text.length <= LONGEST_KEPT) {
      const [oldest] = this.#kept.keys();
      if (oldest !== undefined && this.#kept.size >= KEPT_TEXTS) this.#kept.delete(oldest);
      this.#kept.set(text, findings);
    }
    return findings;
  }

  #findingsOf(text: string): ReadonlyMap<string, readonly Finding[]> {
    const threshold = Math.min(...[...this.#rails.values()].map((rail) => rail.threshold));
    this.#scanner ??= new Scanner(this.#detectors, { threshold, overlaps: true });
    const found = new Map<string, Finding[]>();
    for (const finding of this.#scanner.scan(text)) {
      const owner = this.#rails.get(finding.detector);
      if (owner === undefined || finding.score < owner.threshold) continue;
      const detector = finding.detector.slice(finding.detector.indexOf("/") + 1);
      const findings = found.get(owner.rail);
      if (findings === undefined) found.set(owner.rail, [{ ...finding, detector }]);
      else findings.push({ ...finding, detector });
    }
    return found;
  }
}
