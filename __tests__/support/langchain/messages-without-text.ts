import { AIMessage, type BaseMessage, ChatMessage, HumanMessage, SystemMessage } from "@langchain/core/messages";

/** A form of message, given a text for a part other than its main text. */
export type MessageForm = readonly [name: string, make: (text: string) => BaseMessage];

/** Messages whose reasoning holds the text. */
export const REASONING_FORMS: readonly MessageForm[] = [
  ["reasoning alone", (text) => new AIMessage({ content: [{ type: "reasoning", reasoning: text }] })],
  ["thinking alone", (text) => new AIMessage({ content: [{ type: "thinking", thinking: text, signature: "abc" }] })],
  [
    "reasoning in its metadata alone",
    (text) => new AIMessage({ content: "", additional_kwargs: { reasoning_content: text } }),
  ],
  [
    "reasoning before a text",
    (text) =>
      new AIMessage({
        content: [
          { type: "reasoning", reasoning: text },
          { type: "text", text: "fine" },
        ],
      }),
  ],
  [
    "reasoning in its metadata before a text",
    (text) => new AIMessage({ content: "fine", additional_kwargs: { reasoning_content: text } }),
  ],
];

/** Messages without a main text that hold the text elsewhere. */
export const FORMS_WITHOUT_TEXT: readonly MessageForm[] = [
  ["a note in its metadata", (text) => new AIMessage({ content: "", additional_kwargs: { note: text } })],
  ["a note of its provider", (text) => new AIMessage({ content: "", response_metadata: { note: text } })],
  ["a name", (text) => new AIMessage({ content: "", name: text })],
  ["another property", (text) => Object.assign(new AIMessage(""), { note: text })],
  ["a note of a user", (text) => new HumanMessage({ content: "", additional_kwargs: { note: text } })],
  ["a note of the system", (text) => new SystemMessage({ content: "", additional_kwargs: { note: text } })],
  ["a role", (text) => new ChatMessage({ content: "", role: text })],
];
