import { createDiagnostic, type Diagnostic } from "../../diagnostics/diagnostic.js";
import { isEmpty, childOf, firstLineOf, type RawMap } from "../yaml/raw-node.js";

/** A prompt is either one template or chat messages. */
export function checkPrompts(root: RawMap, problems: Diagnostic[]): void {
  const prompts = childOf(root, "prompts");
  if (prompts?.kind !== "list") return;
  for (const [index, prompt] of prompts.items.entries()) {
    if (prompt.kind !== "map") continue;
    const content = prompt.entries.get("content");
    const messages = prompt.entries.get("messages");
    const path = `prompts[${index}]`;
    if (isEmpty(content?.value) && isEmpty(messages?.value)) {
      problems.push(
        createDiagnostic("PR-104", `\`${path}\` has neither \`content\` nor \`messages\``, {
          span: firstLineOf(prompt.span),
          hint: "write the prompt as `content: |` and the lines below it",
          path,
        }),
      );
    } else if (!isEmpty(content?.value) && !isEmpty(messages?.value)) {
      problems.push(
        createDiagnostic("PR-104", `\`${path}\` has both \`content\` and \`messages\``, {
          span: messages?.keySpan,
          labels: content?.keySpan ? [{ span: content.keySpan, text: "the other one is here" }] : [],
          hint: "keep one of the two",
          path,
        }),
      );
    }
  }
}

/** The tasks that have a prompt in the configuration. */
export function promptTasksOf(root: RawMap): Set<string> {
  const prompts = childOf(root, "prompts");
  const tasks = new Set<string>();
  for (const prompt of prompts?.kind === "list" ? prompts.items : []) {
    const task = childOf(prompt, "task");
    if (task?.kind === "scalar" && typeof task.value === "string") tasks.add(task.value);
  }
  return tasks;
}
