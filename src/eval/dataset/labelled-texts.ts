import { type DataFolder, requireFile } from "./data-folder.js";
import { readJsonLines } from "./json-lines.js";

/** A request to the assistant and whether it should be answered. */
export interface ModerationSample {
  readonly text: string;
  readonly label: "harmful" | "helpful";
  readonly line: number;
}

const HARMFUL = new Set(["harmful", "unsafe"]);
const HELPFUL = new Set(["helpful", "safe", "benign"]);

/**
 * Reads `dev.jsonl` of a moderation set: `text` and `label`.
 *
 * @throws EvaluationDataError also for rows whose label is neither harmful nor helpful
 */
export async function loadModeration(folder: DataFolder): Promise<readonly ModerationSample[]> {
  return readJsonLines(await requireFile(folder, "dev.jsonl"), (row) => {
    const label = row.text("label");
    const isHarmful = HARMFUL.has(label);
    if (!isHarmful && !HELPFUL.has(label)) {
      const known = [...HARMFUL, ...HELPFUL].map((name) => `\`${name}\``).join(", ");
      throw row.problem(
        "label",
        `expected \`label\` to name a harmful or a helpful request, got \`${label}\``,
        `use ${known}`,
      );
    }
    return { text: row.text("text"), label: isHarmful ? "harmful" : "helpful", line: row.line };
  });
}

/** An answer, its evidence, and whether the evidence supports it. */
export interface FactSample {
  readonly evidence: string;
  readonly question: string;
  readonly answer: string;
  readonly grounded: boolean;
  readonly line: number;
}

/**
 * Reads `dev.jsonl` of a fact-checking set: `evidence`, `question`, `answer`, `grounded`.
 *
 * @throws EvaluationDataError
 */
export async function loadFactChecking(folder: DataFolder): Promise<readonly FactSample[]> {
  return readJsonLines(await requireFile(folder, "dev.jsonl"), (row) => ({
    evidence: row.text("evidence"),
    question: row.text("question"),
    answer: row.text("answer"),
    grounded: row.boolean("grounded"),
    line: row.line,
  }));
}

/** A question that rests on something untrue. */
export interface FalsePremiseQuestion {
  readonly text: string;
  readonly line: number;
}

/**
 * Reads `false-premise.jsonl` (or `dev.jsonl`): `text`.
 *
 * @throws EvaluationDataError
 */
export async function loadHallucination(folder: DataFolder): Promise<readonly FalsePremiseQuestion[]> {
  const file = await requireFile(folder, "false-premise.jsonl", "dev.jsonl");
  return readJsonLines(file, (row) => ({ text: row.text("text"), line: row.line }));
}
