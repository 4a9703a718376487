import type { ActionContext, ActionFunction } from "../actions/action.js";
import type { Detector } from "../detectors/detector.js";
import type { Finding } from "../detectors/finding.js";
import { ActionError } from "../diagnostics/errors.js";
import { andThen, type MaybePromise } from "../engine/async.js";
import { railPart } from "./rail-code.js";
import type { PrepareTools, RailCode, RailSettings } from "./rail-manifest.js";
import { rewriteSubject, type Source, SOURCES, subjectTexts } from "./subject.js";

/** Settings of a rail for one source, with what its findings are replaced by. */
export interface Detection {
  readonly detectors: readonly Detector[];
  /** Least score of a finding; default: 0.5. */
  readonly threshold?: number;
  /** Text in place of a finding; default: its type in angle brackets. */
  readonly replacement?: (finding: Finding) => string;
}

interface PreparedDetection {
  readonly find: (text: string) => readonly Finding[];
  readonly replacement: (finding: Finding) => string;
}

/** The prepared part of a rail: its searches by source and variant. */
interface DetectionPart {
  readonly variants: ReadonlySet<string>;
  readonly sources: ReadonlyMap<string, PreparedDetection>;
}

/** A rail that looks for something in a text, and blocks or replaces what it finds. */
export interface DetectionRail {
  /** Name of its manifest. */
  readonly rail: string;
  /**
   * Returns what to look for in a source, by the settings of the rail or of one of its variants; undefined to look for
   * nothing. Problems of the settings are reported.
   */
  detection(settings: RailSettings, source: Source, tools: PrepareTools): MaybePromise<Detection | undefined>;
}

/** Returns the function that prepares a rail of detectors. */
export function prepareDetection({ rail, detection }: DetectionRail): NonNullable<RailCode["prepare"]> {
  return async (settings, tools) => {
    const part = new Map<string, PreparedDetection>();
    const variants = Object.entries((settings["variants"] ?? {}) as Readonly<Record<string, RailSettings>>);
    for (const [variant, own] of [["", settings] as const, ...variants]) {
      for (const source of SOURCES) {
        const found = await detection(own, source, tools);
        if (found === undefined || found.detectors.length === 0) continue;
        const { detectors, threshold = 0.5, replacement = typeInBrackets } = found;
        const key = keyOf(source, variant);
        part.set(key, { find: tools.scanOf(key).add(`${rail} ${variant}`, detectors, threshold), replacement });
      }
    }
    return { variants: new Set(variants.map(([variant]) => variant)), sources: part } satisfies DetectionPart;
  };
}

function typeInBrackets({ type }: Finding): string {
  return `<${type}>`;
}

function keyOf(source: unknown, variant: unknown): string {
  return typeof variant === "string" && variant !== "" ? `${String(source)} ${variant}` : String(source);
}

/**
 * An action that returns true if something was found. The decision names the types and places of the findings, never their
 * text.
 */
export function findAction(rail: string): ActionFunction {
  return ({ source, variant, text }, context) =>
    andThen(railPart<DetectionPart>(context, rail), (part) => {
      const texts = subjectTexts(source, context, text);
      const detection = detectionOf(part, rail, source, variant);
      const findings = detection === undefined ? [] : texts.flatMap((each) => detection.find(each));
      annotate(findings, context);
      return findings.length > 0;
    });
}

/** An action that returns the text with every finding replaced. */
export function maskAction(rail: string): ActionFunction {
  return ({ source, variant, text }, context) =>
    andThen(railPart<DetectionPart>(context, rail), (part) => {
      const detection = detectionOf(part, rail, source, variant);
      const all: Finding[] = [];
      const rewritten = rewriteSubject(source, context, text, (each) => {
        const findings = detection?.find(each) ?? [];
        all.push(...findings);
        return detection === undefined ? each : replaceFindings(each, findings, detection.replacement);
      });
      annotate(all, context);
      return rewritten;
    });
}

/** An action that returns the retrieved chunks in which nothing was found; an empty text if none is left. */
export function dropAction(rail: string): ActionFunction {
  return ({ source, variant, text }, context) =>
    andThen(railPart<DetectionPart>(context, rail), (part) => {
      const detection = detectionOf(part, rail, source, variant);
      const chunks = subjectTexts(source, context, text);
      const found = chunks.map((chunk) => detection?.find(chunk) ?? []);
      annotate(found.flat(), context);
      const kept = chunks.filter((_, index) => found[index]?.length === 0);
      return kept.length === 0 ? "" : kept;
    });
}

/** @throws ActionError for a variant that the settings do not have */
function detectionOf(
  part: DetectionPart,
  rail: string,
  source: unknown,
  variant: unknown,
): PreparedDetection | undefined {
  if (typeof variant === "string" && variant !== "" && !part.variants.has(variant)) {
    throw new ActionError(`the settings of the rail \`${rail}\` have no variant \`${variant}\``, { action: rail });
  }
  return part.sources.get(keyOf(source, variant));
}

const MOST_LISTED = 50;

/** Adds types and places to the decision. INVARIANT: a decision never quotes what was found. */
function annotate(findings: readonly Finding[], context: ActionContext): void {
  if (findings.length === 0) return;
  const categories = [...new Set(findings.map(({ type }) => type))];
  const places = findings
    .slice(0, MOST_LISTED)
    .map(({ type, start, end, score, rule }) => ({ type, start, end, score, rule }));
  context.annotate({
    reason: `found ${categories.join(", ")}`,
    categories,
    score: Math.max(...findings.map(({ score }) => score)),
    metadata: { findings: places },
  });
}

/** Returns a text with findings replaced; they do not overlap and are in order. */
export function replaceFindings(
  text: string,
  findings: readonly Finding[],
  replacement: (finding: Finding) => string,
): string {
  let result = "";
  let end = 0;
  for (const finding of findings) {
    result += text.slice(end, finding.start) + replacement(finding);
    end = finding.end;
  }
  return result + text.slice(end);
}
