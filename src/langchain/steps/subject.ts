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

/** Reads what a rail shall look at. A bare string is the text of the rail's own side. */
export function railSubject(value: unknown, side: "user" | "bot" | "retrieval"): RailSubject {
  if (typeof value === "string") {
    if (side === "retrieval") return { relevantChunks: value };
    return side === "bot" ? { botMessage: value } : { userMessage: value };
  }
  if (isObject(value) && !isMessage(value) && SUBJECT_KEYS.some((key) => Object.hasOwn(value, key))) {
    return subjectOf(value as RailInput);
  }
  const chunks = evidenceTexts(value);
  if (side === "retrieval" && chunks !== undefined) return { relevantChunks: chunks };
  if (sideOf(value) === "bot") {
    const answer = readAnswer(value);
    return { botMessage: answer.text, userMessage: answer.userText, relevantChunks: answer.relevantChunks };
  }
  const input = readUserInput(value);
  return { userMessage: pendingTexts(input).join("\n"), context: input.context, history: toHistory(input) };
}

function subjectOf(input: RailInput): RailSubject {
  return {
    userMessage: input.user ?? input.userMessage,
    botMessage: input.bot ?? input.botMessage,
    relevantChunks: input.relevantChunks,
    history: isMessageList(input.history) ? input.history : undefined,
    ...(isObject(input.context) ? { context: contextVariables(input.context) } : {}),
  };
}
