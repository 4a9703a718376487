import { createDiagnostic, type Diagnostic } from "../../diagnostics/diagnostic.js";
import { firstLineOf, isEmpty, itemsAt, type RawMap, textAt } from "../yaml/raw-node.js";

/** A prompt is either one template or chat messages. */
export function checkPrompts(root: RawMap, problems: Diagnostic[]): void {
  for (const [index, prompt] of itemsAt(root, ["prompts"]).entries()) {
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
  return new Set(itemsAt(root, ["prompts"]).flatMap((prompt) => textAt(prompt, ["task"]) ?? []));
}
