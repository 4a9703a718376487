import { AIMessage } from "@langchain/core/messages";

/** A response of a scripted model with its usage: 10 tokens in, 2 out. */
export function reply(content: string): AIMessage {
  const usage = { input_tokens: 10, output_tokens: 2, total_tokens: 12 };
  return new AIMessage({ content, usage_metadata: usage } as never);
}

/** A clock that advances by one millisecond at every read. */
export function tickingClock(): () => number {
  let time = 0;
  return () => (time += 1);
}
