import { fileURLToPath } from "node:url";
import { HumanMessage } from "@langchain/core/messages";
import { Guardrails, verdictOf } from "langchain-guardrails";
import { start, type ExampleOptions } from "../start.js";

const FOLDER = fileURLToPath(new URL("../../examples/picture-safety", import.meta.url));

/** A picture of one grey pixel, in the place of a customer's photo. */
const PHOTO = {
  type: "image_url",
  image_url: { url: "data:image/gif;base64,R0lGODlhAQABAIAAAMLCwgAAACH5BAAAAAAALAAAAAABAAEAAAICRAEAOw==" },
};
const MANUAL = { type: "file", source_type: "base64", mime_type: "application/pdf", data: "JVBERi0xLjc=" };

const MESSAGES: readonly (readonly [text: string, part: object])[] = [
  ["Which saddle is on this photo?", PHOTO],
  ["Is this legal?", PHOTO],
  ["What does the manual say?", MANUAL],
];

/** By message: the guard's verdicts on the picture and on the text, then the answer. */
export const REPLIES = [["No", "No", "A leather saddle from the seventies."], ["Yes"], []].flat();

export async function run({ llm }: ExampleOptions): Promise<readonly string[]> {
  // A file is a part that no rail can read; by default it is only reported.
  const guardrails = await Guardrails.fromPath(FOLDER, { models: { content_safety: llm }, unseen: "block" });
  const guarded = guardrails.wrap(llm);
  const lines: string[] = [];
  for (const [text, part] of MESSAGES) {
    const message = new HumanMessage({ content: [{ type: "text", text }, part] as HumanMessage["content"] });
    const answer = await guarded.invoke([message]);
    const verdict = verdictOf(answer);
    const pictures = verdict?.decisions[0]?.metadata?.["images"] ?? 0;
    lines.push(`> ${text}`, `  ${answer.text}`);
    lines.push(
      `  ${verdict?.blocked ? `blocked by ${verdict.rail}` : "passed"}, pictures checked: ${String(pictures)}`,
    );
  }
  return lines;
}

await start(import.meta.url, run, REPLIES);
