import { isMap } from "../engine/plain-data.js";
import type { CompletionDefect } from "../llm/model.js";
import type { VerdictReading } from "../llm/parsers/verdict/verdict.js";
import type { TaskResult } from "../llm/task/task.js";

/** A verdict that could be read, with the categories a model named. */
export interface CheckVerdict<Verdict extends string> {
  readonly verdict: Verdict;
  readonly categories: readonly string[];
}

/** A verdict, or the reason why there is none, which quotes nothing of the reply. */
export type Reading<Verdict extends string> =
  | (CheckVerdict<Verdict> & { readonly ok: true })
  | { readonly ok: false; readonly problem: string };

/** One kind of yes-or-no question that models are asked. */
export interface JudgeQuestion<Verdict extends string> {
  readonly read: (text: string) => VerdictReading<Verdict>;
  readonly pass: Verdict;
  readonly fail: Verdict;
  /** The request for a second reply, below the same prompt. */
  readonly strictFormat: string;
  /** The same for a model with structured output. */
  readonly structuredFormat: string;
}

/** The output parser of ours that configurations name in the prompts of judges. */
const MODERATION_PARSER = "is_content_safe";

const PROBLEMS: Readonly<Record<CompletionDefect, string>> = {
  filtered: "the provider filtered it",
  truncated: "it was cut off at the limit of tokens",
  refused: "the model refused",
  "tool-calls": "it holds tool calls",
  "several-choices": "it has several choices that differ",
  "other-content": "it holds content other than text",
  unfinished: "it did not finish",
};

/**
 * Reads the reply of a judge. An output parser of the configuration decides alone: `true` passes, `false` fails, `[true]` and
 * `[false, ...categories]` likewise, a text is read as a reply.
 *
 * INVARIANT: a reply passes only if the provider reports nothing that the text does not show.
 */
export function readReply<Verdict extends string>(
  result: TaskResult,
  question: JudgeQuestion<Verdict>,
): Reading<Verdict> {
  const { outputParser } = result;
  const reading = outputParser === undefined ? readText(result.text, question) : readParsed(result, question);
  if (!reading.ok || reading.verdict !== question.pass) return reading;
  // A parser may need no more than the beginning of a reply.
  const defect = result.completion.defects?.find((each) => outputParser === undefined || each !== "truncated");
  return defect === undefined ? reading : { ok: false, problem: PROBLEMS[defect] };
}

function readText<Verdict extends string>(text: string, { read }: JudgeQuestion<Verdict>): Reading<Verdict> {
  const reading = read(text);
  if (reading.ok) return reading;
  return { ok: false, problem: text.trim() === "" ? "it is empty" : "it is not a bare verdict" };
}

function readParsed<Verdict extends string>(result: TaskResult, question: JudgeQuestion<Verdict>): Reading<Verdict> {
  const { parsed, text, outputParser = "" } = result;
  if (typeof parsed === "string") return readText(text, question);
  if (isMap(parsed)) {
    const { ok, verdict } = parsed;
    if (ok === true && verdict === question.pass) return decided(true, [], question);
    if (ok === true && verdict === question.fail) return decided(false, listOf(parsed["categories"]), question);
    // Our own parser reads moderation verdicts; other questions read the text themselves.
    if (typeof ok === "boolean" && outputParser === MODERATION_PARSER) return readText(text, question);
  }
  const [passes, ...categories] = Array.isArray(parsed) ? (parsed as readonly unknown[]) : [parsed];
  if (typeof passes === "boolean") return decided(passes, categories, question);
  const problem = `its output parser \`${outputParser}\` returned neither \`true\` nor \`false\` nor a text`;
  return { ok: false, problem };
}

function decided<Verdict extends string>(
  passes: boolean,
  categories: readonly unknown[],
  { pass, fail }: JudgeQuestion<Verdict>,
): Reading<Verdict> {
  const named = passes ? [] : categories.filter((category) => typeof category === "string");
  return { ok: true, verdict: passes ? pass : fail, categories: named };
}

function listOf(value: unknown): readonly unknown[] {
  return Array.isArray(value) ? value : [];
}
