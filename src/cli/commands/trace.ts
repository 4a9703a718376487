import { createReadStream, type ReadStream } from "node:fs";
import { stat, writeFile } from "node:fs/promises";
import { basename } from "node:path";
import { z } from "zod/v4";
import { formatInteraction, lineOfText } from "../../tracing/sinks/console.js";
import type { Interaction, TraceSpan } from "../../tracing/interaction.js";
import { splitLines } from "../../batch/split-lines.js";
import { type CommandLine, EXIT, type ExitCode, type Printer, UsageError } from "../command-line.js";
import { countOf } from "../print-diagnostics.js";

export interface TraceOptions {
  /** Number of the latest calls to show. */
  readonly last: number;
  readonly blocked?: boolean;
  /** Prefix of a trace id. */
  readonly id?: string;
  /** HTML file to write the calls to. */
  readonly html?: string;
}

/** Maximum length of a call, in characters. */
const MAX_LINE = 16_000_000;

/** Maximum of a `Date`, in seconds. */
const MAX_SECONDS = 8_640_000_000_000;
const seconds = z.number().min(-MAX_SECONDS).max(MAX_SECONDS);

const spanSchema = z.object({
  name: z.string(),
  span_id: z.string(),
  parent_id: z.string().nullish(),
  start_time: seconds,
  end_time: seconds,
  duration: seconds,
  // Absent in the older format.
  kind: z.enum(["turn", "rail", "action", "model"]).catch("turn"),
  status: z.enum(["ok", "passed", "modified", "blocked", "error", "cancelled"]).catch("ok"),
  content: z.record(z.string(), z.string()).optional().catch(undefined),
  attributes: z.record(z.string(), z.union([z.string(), z.number(), z.boolean(), z.array(z.string())])).catch({}),
});

const lineSchema = z.object({ trace_id: z.string(), blocked: z.boolean().catch(false), spans: z.array(spanSchema) });

/** `trace`: prints the calls in a trace file, each as a tree with times and verdicts. */
export async function runTrace(
  path: string,
  options: TraceOptions,
  { stdout, stderr }: CommandLine,
): Promise<ExitCode> {
  const shown: Interaction[] = [];
  const unreadable: number[] = [];
  for await (const { number, text } of splitLines(await openFile(path), MAX_LINE)) {
    if (text?.trim() === "") continue;
    const interaction = text === undefined ? undefined : readLine(text);
    if (interaction === undefined) unreadable.push(number);
    else if (isWanted(interaction, options)) shown.push(interaction);
    if (shown.length > options.last) shown.shift();
  }
  if (options.html !== undefined) await writePage(options.html, path, shown);
  else printTrees(shown, stdout);
  if (shown.length === 0) stderr.line("no call in the file fits", "yellow");
  if (unreadable.length === 0) return EXIT.ok;
  const listed = unreadable.slice(0, 5).join(", ");
  stderr.line(
    `${countOf(unreadable.length, "line")} cannot be read: ${listed}${unreadable.length > 5 ? ", …" : ""}`,
    "red",
  );
  return EXIT.problems;
}

/** Writes the calls to an HTML file that only its owner can read, because traces may contain texts of users. */
async function writePage(file: string, path: string, shown: readonly Interaction[]): Promise<void> {
  const { tracePage } = await import("../../server/playground/trace-page.js");
  const page = tracePage(`Traces of ${basename(path)}`, shown);
  await writeFile(file, page, { mode: 0o600 }).catch((error: NodeJS.ErrnoException) => {
    throw new UsageError(`the page \`${file}\` cannot be written: ${error.code ?? error.message}`);
  });
}

function printTrees(shown: readonly Interaction[], stdout: Printer): void {
  for (const interaction of shown) {
    const { startedAt, traceId, blocked } = interaction;
    // Times of the older format are relative to the call.
    const time = startedAt > 1e9 ? `  ${new Date(startedAt).toISOString()}` : "";
    stdout.line(`${lineOfText(traceId)}${time}`, blocked ? ["bold", "yellow"] : "bold");
    stdout.line(formatInteraction(interaction));
    stdout.line();
  }
}

async function openFile(path: string): Promise<ReadStream> {
  if ((await stat(path).catch(() => undefined))?.isDirectory() === true) {
    throw new UsageError(`the file \`${path}\` cannot be read: it is a folder`);
  }
  const stream = createReadStream(path);
  await new Promise<void>((resolve, reject) => {
    stream.once("open", () => resolve());
    stream.once("error", (error: NodeJS.ErrnoException) => {
      reject(new UsageError(`the file \`${path}\` cannot be read: ${error.code ?? error.message}`));
    });
  });
  return stream;
}

function readLine(line: string): Interaction | undefined {
  let value: unknown;
  try {
    value = JSON.parse(line);
  } catch {
    return undefined;
  }
  const { data } = lineSchema.safeParse(value);
  return data && interactionOf(data);
}

const MILLISECONDS = 1_000;

function interactionOf({ trace_id: traceId, blocked, spans }: z.infer<typeof lineSchema>): Interaction {
  const read = spans.map(
    ({ name, span_id: id, parent_id, start_time, end_time, duration, content, ...rest }): TraceSpan => ({
      name,
      ...(content === undefined ? {} : { content }),
      id,
      ...(parent_id == null ? {} : { parentId: parent_id }),
      startedAt: start_time * MILLISECONDS,
      finishedAt: end_time * MILLISECONDS,
      durationMs: duration * MILLISECONDS,
      ...rest,
    }),
  );
  const startedAt = read[0]?.startedAt ?? 0;
  const finishedAt = read[0]?.finishedAt ?? 0;
  return { traceId, startedAt, finishedAt, blocked, spans: read };
}

function isWanted({ blocked, traceId }: Interaction, options: TraceOptions): boolean {
  return (options.blocked !== true || blocked) && (options.id === undefined || traceId.startsWith(options.id));
}
