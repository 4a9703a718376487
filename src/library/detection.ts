import type { ActionContext, ActionFunction } from "../actions/action.js";
import { KNOWN_FINDINGS, type KnownFindings } from "../actions/known-findings.js";
import { PSEUDONYM_SLOT } from "../actions/pseudonym-table.js";
import { Pseudonyms } from "../detectors/apply/pseudonyms.js";
import type { Detector } from "../detectors/detector.js";
import { type ApplyOptions, treatFindings } from "../detectors/apply/apply.js";
import type { Finding } from "../detectors/finding.js";
import { FindingCuts } from "../detectors/stream/finding-cuts.js";
import { withoutOverlaps } from "../detectors/scan/overlaps.js";
import { ActionError, InputShapeError } from "../diagnostics/errors.js";
import { andThen, type MaybePromise } from "../engine/async.js";
import { checkTreatment, readDetectors, warnWithoutSearch } from "./detection-checks.js";
import { actionFor, thresholdFor } from "./detection-manifest.js";
import { railPart } from "./rail-code.js";
import type { PrepareTools, RailCode, RailSettings } from "./rail-manifest.js";
import { type ItemSearch, replaceInItems } from "./split-values.js";
import { rewriteSubject, searchedTexts, type SubjectRewriter, type Source, SOURCES, subjectTexts } from "./subject.js";

/** A search outside of the detectors: by a service, or by a function of the application. */
export type FindAlso = (text: string, context: ActionContext) => Promise<readonly Finding[]>;

export interface PreparedDetection {
  readonly find: (text: string) => readonly Finding[];
  readonly findAlso?: FindAlso | undefined;
  readonly treatment: ApplyOptions;
  /** Opens a search in a stream; absent if texts must be searched as a whole. */
  readonly openCuts?: (() => FindingCuts) | undefined;
  /** True if findings are reported and do not block. */
  readonly reportsOnly: boolean;
  /** Called with findings that do not block. */
  readonly notify?: ((findings: readonly Finding[]) => void) | undefined;
}

/** Prepared settings of a rail: its searches by source and variant. */
export interface DetectionPart {
  readonly variants: ReadonlySet<string>;
  readonly sources: ReadonlyMap<string, PreparedDetection>;
  /** Opens the cut points of a streamed bot message; undefined if it must be searched as a whole. */
  openCuts(variant: unknown): FindingCuts | undefined;
}

/** A rail that searches a text, and blocks the text or replaces the findings. */
interface DetectionRail {
  /** Name of the rail's manifest. */
  readonly rail: string;
  /** Returns the detectors for the settings of the rail or of one of its variants. */
  detectors?(settings: RailSettings, tools: PrepareTools): MaybePromise<readonly Detector[]>;
  /** Returns the detectors for one source; default: those of `detectors`. */
  detectorsOf?(settings: RailSettings, source: Source, tools: PrepareTools): MaybePromise<readonly Detector[]>;
  /** Returns an additional search for one source; default: none. */
  findAlsoOf?(settings: RailSettings, source: Source, tools: PrepareTools): MaybePromise<FindAlso | undefined>;
  /** Returns the minimum score of a finding; default: `score_threshold` of the settings. */
  threshold?(settings: RailSettings, source: Source): number;
  /** Returns true if findings in a source are only reported; default: according to `action` of the settings. */
  reportsOnly?(settings: RailSettings, source: Source): boolean;
  /** Called with findings of a source that are only reported; default: only the decision reports them. */
  notify?(findings: readonly Finding[], source: Source, tools: PrepareTools): void;
  /** Returns the replacement for a finding; default: its type in angle brackets. */
  readonly replacement?: string;
}

/** Returns the `prepare` function of a detector rail. It reports options that a detector rejects. */
export function prepareDetection(rail: DetectionRail) {
  return async (settings: RailSettings, tools: PrepareTools): Promise<DetectionPart> => {
    const sources = new Map<string, PreparedDetection>();
    const named = Object.entries((settings["variants"] ?? {}) as Readonly<Record<string, RailSettings>>);
    for (const [variant, own] of [["", settings] as const, ...named]) {
      const path = variant === "" ? [] : ["variants", variant];
      const common = await readDetectors(() => rail.detectors?.(own, tools), [[own, path]], tools);
      for (const source of SOURCES) {
        checkTreatment({ own, settings, source }, path, tools);
        const readSingle = () => rail.detectorsOf?.(own, source, tools);
        const places = [
          [own[source], [...path, source]],
          [own, path],
        ] as const;
        const single = await readDetectors(readSingle, places, tools);
        const detectors = [...common, ...single];
        const findAlso = await rail.findAlsoOf?.(own, source, tools);
        if (detectors.length === 0 && findAlso === undefined) continue;
        const key = keyOf(source, variant);
        const threshold = rail.threshold?.(own, source) ?? thresholdFor(own, source);
        sources.set(key, {
          find:
            detectors.length === 0 ? () => [] : tools.scanOf(key).add(`${rail.rail} ${variant}`, detectors, threshold),
          findAlso,
          openCuts:
            findAlso === undefined && rail.replacement === undefined
              ? () => new FindingCuts(detectors, threshold)
              : undefined,
          treatment: rail.replacement === undefined ? {} : { otherwise: { replace: rail.replacement } },
          reportsOnly: rail.reportsOnly?.(own, source) ?? actionFor(own, source) === "report",
          notify: rail.notify && ((findings) => rail.notify?.(findings, source, tools)),
        });
      }
    }
    warnWithoutSearch((stage, variant) => sources.has(keyOf(stage, variant)), tools);
    return {
      variants: new Set(named.map(([variant]) => variant)),
      sources,
      openCuts: (variant) => sources.get(keyOf("output", variant))?.openCuts?.(),
    };
  };
}

/** Returns the actions of a rail whose manifest comes from `detectionManifest`. */
export function detectionActions(rail: string, subject: string): RailCode["actions"] {
  const noun = subject.replaceAll(" ", "_");
  return {
    [`detect_${noun}`]: findAction(rail),
    [`mask_${noun}`]: maskAction(rail),
    [`drop_chunks_with_${noun}`]: dropAction(rail),
  };
}

function keyOf(source: unknown, variant: unknown): string {
  return typeof variant === "string" && variant !== "" ? `${String(source)} ${variant}` : String(source);
}

/**
 * Returns an action that returns true if there are findings. The decision contains their types and places, never their text.
 */
export function findAction(rail: string): ActionFunction {
  return ({ source, variant, text }, context) =>
    andThen(railPart<DetectionPart>(context, rail), (part) => {
      const texts = searchedTexts(source, context, text);
      const detection = detectionOf(part, rail, source, variant);
      return andThen(searchOf(detection, texts, context), (find) => {
        const findings = texts.flatMap((passage) => withoutOverlaps(find(passage)));
        annotate(findings, context);
        if (detection?.reportsOnly !== true) return findings.length > 0;
        if (findings.length > 0) detection.notify?.(findings);
        return false;
      });
    });
}

/** Returns an action that replaces every finding in the text. */
export function maskAction(rail: string): ActionFunction {
  return ({ source, variant, text }, context) =>
    andThen(railPart<DetectionPart>(context, rail), (part) => {
      const detection = detectionOf(part, rail, source, variant);
      return andThen(searchOf(detection, searchedTexts(source, context, text), context), (find) => {
        const all: Finding[] = [];
        const known = context[KNOWN_FINDINGS];
        if (known !== undefined) return maskPart(known, detection, text, context);
        const replace = (passage: string, findings: readonly Finding[]): string =>
          detection === undefined ? passage : replaceAll(passage, detection, findings, (found) => all.push(...found));
        const search = { find, findAgain: detection?.find ?? find, replace };
        const rewritten = rewriteSubject(source, context, text, replacerOf(search));
        annotate(all, context);
        return rewritten;
      });
    });
}

/** Returns the functions that replace findings in texts, keys, and the items of a list. */
function replacerOf(search: ItemSearch): SubjectRewriter {
  const text = (passage: string): string => search.replace(passage, search.find(passage));
  return { text, key: text, items: (items) => replaceInItems(items, search) };
}

/** Characters next to a cut point that masks must leave unchanged; fewer than the distance of findings from it. */
const BESIDE_CUT = 128;

/**
 * Masks a part of a stream.
 *
 * @throws InputShapeError if the text is not the part that the stream was cut into: findings may be split at its ends
 */
function maskPart(
  known: KnownFindings,
  detection: PreparedDetection | undefined,
  text: unknown,
  context: ActionContext,
): string {
  if (text !== known.text || detection === undefined) throw new InputShapeError("expected the part of the stream");
  const { find } = detection;
  // Text next to a cut point may look like a finding only because it is cut there.
  const [first, tail] = [known.from === 0 ? 0 : BESIDE_CUT, known.isLast ? 0 : BESIDE_CUT];
  const findNew = (passage: string): readonly Finding[] =>
    find(passage).filter(({ start, end }) => start >= first && end <= passage.length - tail);
  const masked = replaceAll(known.text, { ...detection, find: findNew }, known.findings, () => undefined);
  const placed = known.findings.map((finding) => ({
    ...finding,
    start: finding.start + known.from,
    end: finding.end + known.from,
  }));
  annotate(withoutOverlaps(placed), context);
  return masked;
}

/** Returns an action that replaces every finding by a pseudonym of the conversation. */
export function pseudonymiseAction(rail: string): ActionFunction {
  return ({ source, variant, text }, context) =>
    andThen(railPart<DetectionPart>(context, rail), (part) => {
      const detection = detectionOf(part, rail, source, variant);
      const pseudonyms = pseudonymsOf(context, rail);
      return andThen(searchOf(detection, searchedTexts(source, context, text), context), (find) => {
        const all: Finding[] = [];
        const replace = (passage: string, findings: readonly Finding[]): string => {
          all.push(...withoutOverlaps(findings));
          return pseudonyms.replace(passage, findings);
        };
        const search = { find, findAgain: detection?.find ?? find, replace };
        const rewritten = rewriteSubject(source, context, text, replacerOf(search));
        annotate(all, context);
        return rewritten;
      });
    });
}

/** @throws ActionError if the action runs outside of a call */
function pseudonymsOf(context: ActionContext, rail: string): Pseudonyms {
  const slot = context[PSEUDONYM_SLOT];
  if (slot === undefined)
    throw new ActionError(`the rail \`${rail}\` needs the pseudonyms of a call`, { action: rail });
  if (slot.pseudonyms instanceof Pseudonyms) return slot.pseudonyms;
  const made = new Pseudonyms();
  slot.pseudonyms = made;
  return made;
}

/** Number of texts searched concurrently. */
const BATCH = 8;

/**
 * Returns the search over some texts, including the findings of the additional search.
 * INVARIANT: a text that the additional search has not read never counts as a text without findings.
 */
function searchOf(
  detection: PreparedDetection | undefined,
  texts: readonly string[],
  context: ActionContext,
): MaybePromise<(text: string) => readonly Finding[]> {
  if (detection === undefined) return () => [];
  const { find, findAlso } = detection;
  return findAlso === undefined ? find : searchFurther(find, findAlso, texts, context);
}

async function searchFurther(
  find: PreparedDetection["find"],
  findAlso: FindAlso,
  texts: readonly string[],
  context: ActionContext,
): Promise<(text: string) => readonly Finding[]> {
  const found = new Map<string, readonly Finding[]>();
  const open = [...new Set(texts)].filter((text) => text.trim() !== "");
  for (let start = 0; start < open.length; start += BATCH) {
    const batch = open.slice(start, start + BATCH);
    const results = await Promise.all(batch.map((text) => findAlso(text, context)));
    for (const [index, text] of batch.entries()) found.set(text, results[index] ?? []);
  }
  return (text) => {
    const further = text.trim() === "" ? [] : found.get(text);
    if (further === undefined) throw new InputShapeError("expected one of the texts that were searched");
    return further.length === 0 ? find(text) : [...find(text), ...further];
  };
}

const MOST_ROUNDS = 8;

/**
 * Replaces findings until none is left. INVARIANT: the text around a removed finding never joins into a new finding.
 *
 * @param first - all findings in the text
 * @throws InputShapeError if there are still findings after eight rounds
 */
function replaceAll(
  text: string,
  { find, treatment }: PreparedDetection,
  first: readonly Finding[],
  report: (findings: readonly Finding[]) => void,
): string {
  let result = text;
  const marks = new Set<string>();
  for (let round = 0; round < MOST_ROUNDS; round++) {
    const all = round === 0 ? first : find(result);
    // A mark may contain a forbidden word, such as the name of its list.
    const findings = round === 0 ? all : all.filter((finding) => !isInMark(result, finding, marks));
    if (findings.length === 0) return result;
    if (round === 0) report(withoutOverlaps(findings));
    for (const { type } of findings) marks.add(`<${type}>`);
    const next = treatFindings(result, findings, treatment);
    if (next === result) return result;
    result = next;
  }
  throw new InputShapeError("the text still has findings after eight rounds of replacing them");
}

/** Characters around a finding that are searched for a mark. */
const LONGEST_MARK = 64;

/** Returns true if a finding is inside of a mark. */
function isInMark(text: string, { start, end }: Finding, marks: ReadonlySet<string>): boolean {
  const from = Math.max(0, start - LONGEST_MARK);
  const around = text.slice(from, end + LONGEST_MARK);
  const open = around.lastIndexOf("<", start - from);
  return open >= 0 && marks.has(around.slice(open, around.indexOf(">", end - from - 1) + 1));
}

/** Returns an action that returns the retrieved chunks without findings; an empty text if none is left. */
export function dropAction(rail: string): ActionFunction {
  return ({ source, variant, text }, context) =>
    andThen(railPart<DetectionPart>(context, rail), (part) => {
      const detection = detectionOf(part, rail, source, variant);
      const chunks = subjectTexts(source, context, text);
      return andThen(searchOf(detection, chunks, context), (find) => {
        const found = chunks.map(find);
        annotate(found.flatMap(withoutOverlaps), context);
        const kept = chunks.filter((_, index) => found[index]?.length === 0);
        return kept.length === 0 ? "" : kept;
      });
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

/** Adds types and places of findings to the decision. INVARIANT: a decision never contains the text of a finding. */
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
