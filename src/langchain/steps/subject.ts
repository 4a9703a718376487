import { shapeError } from "../shape-error.js";
import type { RailsStage } from "../../turn/stages.js";
import type { RailSubject } from "../../turn/result.js";
import { readAnswer } from "../values/answer.js";
import { contextVariables } from "../context-variables.js";
import { evidenceTexts } from "../values/evidence.js";
import { isMessage, isObject } from "../values/message-kinds.js";
import { isMessageList, sideOf } from "../values/side.js";
import { pendingTexts, readUserInput, toHistory } from "../values/user-input.js";

/** What one rail looks at when it runs alone: the names of `langchain.md` A2 and the longer ones of the runtime. */
export interface RailInput {
  readonly user?: string;
  readonly bot?: string;
  readonly userMessage?: string;
  readonly botMessage?: string;
  readonly relevantChunks?: string | readonly string[];
  readonly context?: Readonly<Record<string, unknown>>;
  readonly history?: readonly { readonly role: "user" | "assistant"; readonly content: string }[];
}

const SUBJECT_KEYS = ["user", "bot", "userMessage", "botMessage", "relevantChunks", "history"] as const;

/**
 * Reads the texts for one rail. A bare string is the text of the rail's own stage.
 *
 * @param stage - of the rail; undefined if it does not show
 * @throws InputShapeError for a bare string if the stage of the rail does not show
 */
export function railSubject(value: unknown, rail: string, stage: RailsStage | undefined): RailSubject {
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
  const input = readUserInput(value);
  return { userMessage: pendingTexts(input).join("\n"), history: toHistory(input) };
}

const STAGE_HINT =
  "pass `{ user }` or `{ bot }`, or list the rail under `rails.input`, `rails.output` or `rails.retrieval`";

function subjectOf(input: RailInput): RailSubject {
  return {
    userMessage: input.user ?? input.userMessage,
    botMessage: input.bot ?? input.botMessage,
    relevantChunks: input.relevantChunks,
    history: isMessageList(input.history) ? input.history : undefined,
    ...(isObject(input.context) ? { context: contextVariables(input.context) } : {}),
  };
}
