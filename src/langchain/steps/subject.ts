import { shapeError } from "../shape-error.js";
import type { RailsStage } from "../../turn/decision.js";
import type { RailSubject } from "../../turn/result.js";
import { readAnswer } from "../values/read-answer.js";
import { contextVariables } from "../context-variables.js";
import { didYouMean } from "../../diagnostics/suggestion.js";
import { chunkText, evidenceTexts } from "../values/evidence.js";
import { isMessage, isObject } from "../values/message-kinds.js";
import { isMessageList, sideOf } from "../values/side.js";
import { wholeTexts, readUserInput, toHistory } from "../values/read-user-input.js";

/** Texts for one rail that runs alone, under short or long names. */
export interface RailInput {
  readonly user?: string;
  readonly bot?: string;
  readonly userMessage?: string;
  readonly botMessage?: string;
  /** Evidence: texts or documents. Also read under `relevant_chunks`, `documents`, and under `context` unless that is a map. */
  readonly relevantChunks?: string | readonly unknown[];
  readonly relevant_chunks?: string | readonly unknown[];
  readonly documents?: string | readonly unknown[];
  /** Context variables; texts or documents here are evidence. */
  readonly context?: Readonly<Record<string, unknown>> | string | readonly unknown[];
  readonly history?: readonly { readonly role: "user" | "assistant"; readonly content: string }[];
}

const SUBJECT_KEYS = ["user", "bot", "userMessage", "botMessage", "relevantChunks", "history"] as const;

/**
 * Reads the texts for one rail. A bare string is the text of the rail's own stage.
 *
 * @param stage - of the rail; undefined if it does not show
 * @param trustedKeys - keys of an input object that no rail reads
 * @throws InputShapeError for a bare string if the stage of the rail does not show
 */
export function railSubject(
  value: unknown,
  rail: string,
  stage: RailsStage | undefined,
  trustedKeys?: readonly string[],
): RailSubject {
  if (typeof value === "string") {
    switch (stage) {
      case "input":
        return { userMessage: value };
      case "output":
        return { botMessage: value };
      case "retrieval":
        return { relevantChunks: value };
      case undefined:
        throw shapeError(`cannot tell which text \`${rail}\` checks`, value, STAGE_HINT);
    }
  }
  if (isObject(value) && !isMessage(value) && SUBJECT_KEYS.some((key) => Object.hasOwn(value, key))) {
    return subjectOf(value as RailInput);
  }
  const chunks = evidenceTexts(value);
  if (stage === "retrieval" && chunks !== undefined) return { relevantChunks: chunks };
  if (sideOf(value) === "bot") {
    const answer = readAnswer(value);
    return { botMessage: answer.text, userMessage: answer.userText, relevantChunks: answer.relevantChunks };
  }
  const input = readUserInput(value, { trustedKeys });
  return { userMessage: wholeTexts(input).join("\n"), history: toHistory(input) };
}

const STAGE_HINT =
  "pass `{ user }` or `{ bot }`, or list the rail under `rails.input`, `rails.output` or `rails.retrieval`";

const EVIDENCE_KEYS = ["relevantChunks", "relevant_chunks", "documents", "context"] as const;
const INPUT_KEYS: readonly string[] = [...SUBJECT_KEYS, ...EVIDENCE_KEYS];

function subjectOf(input: RailInput): RailSubject {
  const unknown = Object.keys(input).find((key) => !INPUT_KEYS.includes(key));
  if (unknown !== undefined) {
    const hint = didYouMean(unknown, INPUT_KEYS) ?? `the keys are ${INPUT_KEYS.join(", ")}`;
    throw shapeError(`\`${unknown}\` is not a text that rails check`, input, hint);
  }
  const { context } = input;
  const variables = isObject(context) && chunkText(context) === undefined ? context : undefined;
  const evidence = evidenceOf({ ...input, ...(variables === undefined ? {} : { context: undefined }) });
  return {
    userMessage: input.user ?? input.userMessage,
    botMessage: input.bot ?? input.botMessage,
    ...(evidence === undefined ? {} : { relevantChunks: evidence }),
    history: isMessageList(input.history) ? input.history : undefined,
    ...(variables === undefined ? {} : { context: contextVariables(variables) }),
  };
}

/** @throws InputShapeError for evidence that cannot be read: a rail would judge without it */
function evidenceOf(input: Readonly<Record<string, unknown>>): readonly string[] | undefined {
  const key = EVIDENCE_KEYS.find((name) => input[name] !== undefined);
  if (key === undefined) return undefined;
  const given = input[key];
  const texts = evidenceTexts(isObject(given) ? [given] : given);
  if (texts !== undefined) return texts;
  throw shapeError(`the evidence under \`${key}\` cannot be read`, given, "pass a text, texts, or documents");
}
