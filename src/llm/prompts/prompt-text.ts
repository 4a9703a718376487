import type { LanguageModel, ModelPrompt } from "../model.js";

const ROLES = { system: "System", user: "User", assistant: "Assistant" } as const;

/** Counts the characters of a prompt: its text, or its message contents plus one per message. */
export function promptLength(prompt: ModelPrompt): number {
  if (prompt.kind === "text") return prompt.text.length;
  if (prompt.kind === "native") return 0;
  return prompt.messages.reduce((length, message) => length + message.content.length + 1, 0);
}

/** Formats a prompt for logs. */
export function promptText(prompt: ModelPrompt): string {
  if (prompt.kind === "text") return prompt.text;
  if (prompt.kind === "messages")
    return prompt.messages.map(({ type, content }) => `[${type}]\n${content}`).join("\n\n");
  return prompt.messages
    .map((message) => `[${message.getType()}]\n${typeof message.content === "string" ? message.content : message.text}`)
    .join("\n\n");
}

/** Appends a request, to the last message if it is the user's: not all models accept two in a row. */
export function appendRequest(prompt: ModelPrompt, request: string): ModelPrompt {
  if (prompt.kind === "text") return { kind: "text", text: `${prompt.text}\n\n${request}` };
  if (prompt.kind === "native") return prompt;
  const last = prompt.messages.at(-1);
  const isOfUser = last?.type === "user";
  const others = isOfUser ? prompt.messages.slice(0, -1) : prompt.messages;
  const content = isOfUser ? `${last.content}\n\n${request}` : request;
  return { kind: "messages", messages: [...others, { type: "user", content }] };
}

/** Converts a prompt to messages for a chat model and to one text for a text model. */
export function adaptPrompt(prompt: ModelPrompt, family: LanguageModel["family"]): ModelPrompt {
  if (prompt.kind === "text" && family === "chat") {
    return { kind: "messages", messages: [{ type: "user", content: prompt.text }] };
  }
  if (prompt.kind === "messages" && family === "text") {
    const parts = prompt.messages.map(({ type, content }) => {
      return type === "system" ? content : `${ROLES[type]}: ${content}`;
    });
    const asks = prompt.messages.at(-1)?.type === "user" ? [`${ROLES.assistant}:`] : [];
    return { kind: "text", text: [...parts, ...asks].join("\n\n") };
  }
  return prompt;
}

/** Truncates a completion at the first stop sequence; not every provider does so. */
export function truncateAtStop(text: string, stop: readonly string[] = []): string {
  return text.slice(0, firstStop(text, stop));
}

/** Returns the offset of the first stop sequence in a text. */
export function firstStop(text: string, stop: readonly string[]): number | undefined {
  let first: number | undefined;
  for (const sequence of stop) {
    const at = sequence === "" ? -1 : text.indexOf(sequence);
    if (at !== -1 && (first === undefined || at < first)) first = at;
  }
  return first;
}
