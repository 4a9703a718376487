import { openDisk } from "../../config/load/disk-store.js";
import { ActionError, ModelError } from "../../diagnostics/errors.js";
import { readOwn } from "../../engine/plain-data.js";
import { modelForTask } from "../../llm/model.js";
import type { ActionContext, ActionDefinition, ActionParameters } from "../action.js";
import { textParameter, toolAction } from "./tool-action.js";

const NAME = "summarize_document";

/** Maximum document length, in characters, and file size, in bytes. */
const MAX_DOCUMENT = 200_000;
const MAX_BYTES = 4 * MAX_DOCUMENT;

/** Number of characters that a model summarizes at once. */
const PART_LENGTH = 10_000;

/** Maximum length of a partial summary, in characters. */
const MAX_SUMMARY = 2_000;

const MAX_TOKENS = 1_024;

/**
 * Summarizes a document by a model; long documents in parts, whose summaries are summarized in turn.
 *
 * @param folder - path of the configuration. INVARIANT: only files below it are read, since a path may come from a
 *   message
 */
export function summarizeDocumentAction(folder: string | undefined): ActionDefinition {
  return toolAction({
    name: NAME,
    parameters: ["document_path", "document"],
    read(params): Readonly<Record<string, string>> {
      const document = readOwn(params, "document");
      if (document === undefined || document === null) {
        return { document_path: textParameter(NAME, params, "document_path") };
      }
      if (typeof document === "string" && document.length <= MAX_DOCUMENT) return { document };
      throw problem(`expected \`document\` to be a text of at most ${MAX_DOCUMENT} characters`);
    },
    call: async (args, context) => {
      const text = readOwn(args, "document");
      return summarize(typeof text === "string" ? text : await readDocument(folder, args), context);
    },
  });
}

async function readDocument(folder: string | undefined, args: ActionParameters): Promise<string> {
  const path = String(readOwn(args, "document_path"));
  const disk = await openDisk();
  if (disk === undefined || folder === undefined) throw problem("expected a configuration folder to read from");
  const root = (await disk.kindOf(folder)) === "folder" ? folder : disk.parentOf(folder);
  const target = disk.resolve(root, path);
  if (!(await disk.contains(root, target))) throw problem("expected a document below the configuration's folder");
  const file = await disk.read(target, MAX_BYTES);
  if (!("text" in file)) throw problem(`the document cannot be read: ${file.problem}`);
  if (file.text.length > MAX_DOCUMENT) throw problem(`the document is longer than ${MAX_DOCUMENT} characters`);
  return file.text;
}

async function summarize(document: string, context: ActionContext): Promise<string> {
  if (document.trim() === "") return "";
  let text = document;
  // Summaries are shorter than their input, so a few rounds suffice.
  for (;;) {
    const summaries: string[] = [];
    for (let start = 0; start < text.length; start += PART_LENGTH) {
      summaries.push(await summarizePart(text.slice(start, start + PART_LENGTH), context));
    }
    const [only, ...others] = summaries;
    if (others.length === 0) return only ?? "";
    text = summaries.join("\n\n");
  }
}

async function summarizePart(document: string, context: ActionContext): Promise<string> {
  const model = modelForTask(context.models, NAME);
  if (model === undefined) {
    const message = `no model for the task \`${NAME}\`: add one with \`type: main\` to \`models\``;
    throw new ModelError(message, { code: "CF-119", task: NAME });
  }
  const { text } = await context.tasks.run({
    task: NAME,
    model,
    events: [],
    context: context.context,
    variables: { document },
    parameters: { temperature: context.config.lowest_temperature, maxTokens: MAX_TOKENS },
    scope: context.scope,
  });
  return text.trim().slice(0, MAX_SUMMARY);
}

function problem(message: string): ActionError {
  return new ActionError(message, { action: NAME });
}
