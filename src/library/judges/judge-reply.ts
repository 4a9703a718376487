import { isMap } from "../../engine/plain-data.js";
import type { CompletionDefect, ReplyFormat } from "../../llm/model.js";
import { type VerdictReading, readModerationVerdict, readSupportVerdict } from "../../llm/parsers/verdict/verdict.js";
import { hasReasoning } from "../../llm/parsers/verdict/verdict-frame.js";
import type { TaskResult } from "../../llm/task/task.js";

/** A parsed verdict, with the categories that the model named. */
export interface CheckVerdict<Verdict extends string> {
  readonly verdict: Verdict;
  readonly categories: readonly string[];
  /** True if the reply came from a cache. */
  readonly isCached?: boolean;
}

/** A verdict, or the reason why the reply has none. INVARIANT: the reason contains nothing of the reply. */
export type Reading<Verdict extends string> =
  | (CheckVerdict<Verdict> & { readonly ok: true })
  | { readonly ok: false; readonly problem: string };

/** A kind of yes-or-no question for models. */
export interface JudgeQuestion<Verdict extends string> {
  readonly read: (text: string) => VerdictReading<Verdict>;
  readonly pass: Verdict;
  readonly fail: Verdict;
  /** Request for a second reply, appended to the same prompt. */
  readonly strictFormat: string;
  /** The same request for a model with structured output. */
  readonly structuredFormat: string;
}

/** Name of the built-in output parser for prompts of judges. */
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
 * Reads the reply of a judge. If the prompt names an output parser, its result decides: `true` and `[true]` pass, `false` and
 * `[false, ...categories]` fail, and a text is read as a reply.
 *
 * INVARIANT: a reply does not pass if the provider reports a defect that its text does not show.
 */
export function readReply<Verdict extends string>(
  result: TaskResult,
  question: JudgeQuestion<Verdict>,
): Reading<Verdict> {
  const { outputParser } = result;
  const reading = outputParser === undefined ? readText(result.text, question) : readParsed(result, question);
  if (!reading.ok || reading.verdict !== question.pass) return reading;
  // A parser may need only the beginning of a reply, but in truncated reasoning a verdict may be a quotation.
  const { text, defects } = result.completion;
  const needsEnd = (): boolean => outputParser === undefined || hasReasoning(text);
  const defect = defects?.find((candidate) => candidate !== "truncated" || needsEnd());
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
    // The built-in parser reads moderation verdicts; other questions parse the text below.
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

/** Schema of a verdict. The object is parsed by the same grammar as any other reply. */
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

/** Explains both words, since the prompt of a configuration may ask for others. */
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
