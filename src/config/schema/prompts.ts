import { z } from "zod/v4";

import { count, filledText, once, optional, text, texts } from "./fields.js";

const MESSAGE_TYPES = { system: "system", user: "user", assistant: "assistant", bot: "assistant" } as const;
type MessageType = keyof typeof MESSAGE_TYPES;

/** `prompts` (spec rails 1.7). That exactly one of `content` and `messages` is given is checked in `check-prompts.ts`. */
export const promptsSchema = once(() => {
  const message = z.strictObject({
    type: z
      .enum(Object.keys(MESSAGE_TYPES) as [MessageType, ...MessageType[]])
      .transform((type) => MESSAGE_TYPES[type])
      .meta({ description: "Who speaks; `bot` is another word for `assistant`." }),
    content: text().meta({ description: "A template." }),
  });
  return z.array(
    z.strictObject({
      task: filledText()
        .transform((task) => (task === "fact_checking" ? "self_check_facts" : task))
        .meta({ description: "The task this prompt is for, such as `self_check_input`." }),
      content: optional(text(), null, "The prompt as one template."),
      messages: optional(
        z.array(z.union([z.string(), message], { error: "text, or `type` and `content`" })),
        null,
        "The prompt as chat messages; a bare text must render to a list of messages.",
      ),
      models: optional(z.array(filledText()), null, "`engine` or `engine/model` this prompt is written for."),
      mode: optional(text(), "standard", "The prompting mode this prompt belongs to."),
      output_parser: optional(filledText(), null, "The parser that reads the completion."),
      max_length: optional(count(1), 16_000, "The longest prompt to send, in characters."),
      max_prompt_tokens: optional(
        count(1),
        null,
        "The longest prompt to send, in tokens as the model counts them; `max_length` holds too.",
      ),
      stop: optional(texts(), null, "Texts at which the completion ends."),
      max_tokens: optional(count(1), null, "The longest completion to ask for."),
    }),
  );
});
