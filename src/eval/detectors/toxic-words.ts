import { toxicWords } from "../../detectors/toxicity/toxic-words.js";
import { readModeratedTexts } from "../dataset/detectors/moderated-texts.js";
import { benignRows, benignTexts, type DetectorContext } from "./context.js";
import type { DetectorRow, DetectorSection } from "./result.js";
import { countOf, curveOf, rowOf, sumOf } from "./rows.js";

const SEVERITIES = ["mild", "strong", "hate"] as const;

/** Evaluates toxic words on labelled texts, by the least severity. */
export async function evaluateToxicWords(context: DetectorContext): Promise<DetectorSection> {
  const file = await context.read("text-moderation", "dev.jsonl");
  const samples = file === undefined ? [] : readModeratedTexts(file);
  const toxic = samples.filter((sample) => sample.toxic === true).map(({ text }) => text);
  const others = samples.filter((sample) => sample.toxic === false).map(({ text }) => text);
  const scanner = context.scannerOf(toxicWords());
  const rows = SEVERITIES.flatMap((severity): DetectorRow[] => {
    if (samples.length === 0) return [];
    const severeScanner = context.scannerOf(toxicWords({ severity }));
    const { findings, cost } = severeScanner.scan(toxic);
    const recall = countOf(findings, (found) => found.length > 0);
    const falsePositives = countOf(severeScanner.scan(others).findings, (found) => found.length > 0);
    const precision = { hits: recall.hits, of: sumOf([recall, falsePositives]).hits };
    const named = { detector: severeScanner.detector.name, dataset: "text-moderation", name: `from ${severity}` };
    return [rowOf({ ...named, recall, precision, falsePositives, cost })];
  });
  return {
    title: "Toxic words",
    notes: [
      "Texts that people labelled as hate or harassment against those without any label. Few of them need a toxic word, so recall is low.",
    ],
    rows: [...rows, ...benignRows(scanner, context, {})],
    curves:
      samples.length === 0
        ? []
        : curveOf("toxic words", scanner.scores(toxic), scanner.scores([...others, ...benignTexts(context)])),
  };
}
