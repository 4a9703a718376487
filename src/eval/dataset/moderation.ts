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
 * @throws EvaluationDataError also for rows whose label says neither harmful nor helpful
 */
export async function loadModeration(folder: DataFolder): Promise<readonly ModerationSample[]> {
  return readJsonLines(await requireFile(folder, "dev.jsonl"), (row) => {
    const label = row.text("label");
    const isHarmful = HARMFUL.has(label);
    if (!isHarmful && !HELPFUL.has(label)) {
      const known = [...HARMFUL, ...HELPFUL].map((name) => `\`${name}\``).join(", ");
      throw row.problem("label", `the label \`${label}\` does not say whether the request is harmful`, `use ${known}`);
    }
    return { text: row.text("text"), label: isHarmful ? "harmful" : "helpful", line: row.line };
  });
}
