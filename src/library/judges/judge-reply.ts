import { isMap } from "../../engine/plain-data.js";
import type { CompletionDefect, ReplyFormat } from "../../llm/model.js";
import { type VerdictReading, readModerationVerdict, readSupportVerdict } from "../../llm/parsers/verdict/verdict.js";
import { hasReasoning } from "../../llm/parsers/verdict/verdict-frame.js";
import type { TaskResult } from "../../llm/task/task.js";

/** A verdict that could be read, with the categories a model named. */
export interface CheckVerdict<Verdict extends string> {
  readonly verdict: Verdict;
  readonly categories: readonly string[];
  /** The reply came from a cache, and no model was asked. */
  readonly isCached?: boolean;
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
  // A parser may need no more than the beginning of a reply; but in reasoning that was cut off, a verdict may be a quotation.
  const { text, defects } = result.completion;
  const needsEnd = (): boolean => outputParser === undefined || hasReasoning(text);
  const defect = defects?.find((each) => each !== "truncated" || needsEnd());
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
    if (ok === false) return { ok, problem: `it is not in the format that \`${outputParser}\` reads` };
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

/** "Should this be blocked?" */
export const MODERATION_QUESTION: JudgeQuestion<"allow" | "block"> = {
  read: readModerationVerdict,
  pass: "allow",
  fail: "block",
  ...formats("yes, unsafe or block", "no, safe or allow"),
};

/** "Is this supported?", "do these agree?" */
export const SUPPORT_QUESTION: JudgeQuestion<"supported" | "unsupported"> = {
  read: readSupportVerdict,
  pass: "supported",
  fail: "unsupported",
  ...formats("yes, supported or consistent", "no, unsupported or inconsistent"),
};

/** Schema of a verdict. The grammar of verdicts reads the object like any other reply. */
export const VERDICT_FORMAT: ReplyFormat = {
  name: "verdict",
  schema: {
    title: "verdict",
    description: "The verdict alone, without an explanation.",
    type: "object",
    properties: { answer: { type: "string", enum: ["Yes", "No"] } },
    required: ["answer"],
    additionalProperties: false,
  },
};

/** The meaning of both words is stated, since prompts of a configuration may ask for others. */
function formats(yes: string, no: string): Pick<JudgeQuestion<string>, "strictFormat" | "structuredFormat"> {
  const strictFormat = [
    "Reply in exactly this format: one line with one word, without punctuation and without an explanation.",
    `The word is Yes if your answer is ${yes}. The word is No if your answer is ${no}.`,
    "Answer:",
  ].join("\n");
  const structuredFormat = [
    'Reply with a JSON object that has one field, "answer", and no explanation.',
    `The field is "Yes" if your answer is ${yes}. The field is "No" if your answer is ${no}.`,
  ].join("\n");
  return { strictFormat, structuredFormat };
}
