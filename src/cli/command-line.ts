import type { Readable } from "node:stream";
import { styleText } from "node:util";
import { onAbortOf } from "../engine/async.js";
import type { Environment } from "../config/environment.js";

// Every command loads this file, so it imports no code of the package.

/** Exit codes of the command line. */
export const EXIT = {
  ok: 0,
  /** Exit code for an invalid configuration, a failed turn, or a failed test. */
  problems: 1,
  /** A rail blocked the message. */
  blocked: 2,
  /** Invalid arguments. */
  usage: 64,
  /** Interrupted by Ctrl+C. */
  interrupted: 130,
} as const;

export type ExitCode = (typeof EXIT)[keyof typeof EXIT];

/** A stream that a command writes to, such as `process.stdout`. */
export interface Output {
  write(text: string): unknown;
  readonly isTTY?: boolean | undefined;
  readonly columns?: number | undefined;
}

/** Environment of a command: streams, variables, and the signal that stops it. */
export interface CommandLine {
  readonly stdin: Readable;
  readonly stdout: Printer;
  readonly stderr: Printer;
  /** Set for interactive use: the stream on which lines are edited. */
  readonly terminal?: NodeJS.WritableStream | undefined;
  readonly env: Environment;
  readonly signal: AbortSignal;
}

/** Waits until the command is interrupted. */
export function untilInterruption(signal: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    if (signal.aborted) resolve();
    // Omits the event, which callers would treat as a value.
    else onAbortOf(signal, () => resolve());
  });
}

/** An error in the arguments of a command. */
export class UsageError extends Error {
  override readonly name = "UsageError";
}

/** A failure outside the program, such as of a server. Its message is shown without a stack. */
export class CommandError extends Error {
  override readonly name = "CommandError";
}

export type Style = Parameters<typeof styleText>[0];

const DEFAULT_COLUMNS = 80;

/** Writes text for people to a stream, with colors if supported. */
export class Printer {
  readonly #output: Output;
  readonly hasColours: boolean;
  readonly #draws: boolean;

  constructor(output: Output, env: Environment) {
    this.#output = output;
    this.hasColours = showsColours(output, env);
    this.#draws = output.isTTY === true && env["TERM"] !== "dumb";
  }

  /** The stream, for text that the package draws. A dumb terminal supports no drawing. */
  get output(): Output {
    return { write: (text) => this.#output.write(text), isTTY: this.#draws, columns: this.columns };
  }

  get columns(): number {
    return this.#output.columns ?? DEFAULT_COLUMNS;
  }

  /** Writes a text without control characters. */
  write(text: string, style?: Style): void {
    const shown = printable(text);
    this.#output.write(style === undefined || !this.hasColours ? shown : paint(shown, style));
  }

  line(text = "", style?: Style): void {
    this.write(text, style);
    this.#output.write("\n");
  }

  json(value: unknown): void {
    this.#output.write(`${JSON.stringify(value, null, 2).replace(UNPRINTABLE, escapeCharacter)}\n`);
  }

  /** Writes control sequences of the package. */
  raw(text: string): void {
    this.#output.write(text);
  }
}

/** Each line is styled separately, so that a pager shows the style. */
function paint(text: string, style: Style): string {
  const lines = text.split("\n");
  return lines.map((line) => (line === "" ? "" : styleText(style, line, { validateStream: false }))).join("\n");
}

function showsColours({ isTTY }: Output, env: Environment): boolean {
  if ((env["NO_COLOR"] ?? "") !== "") return false;
  const forced = env["FORCE_COLOR"];
  if (forced !== undefined) return forced !== "0" && forced !== "false";
  return isTTY === true && env["TERM"] !== "dumb";
}

/** Control characters except tab and line feed, and characters that change the direction of a text. */
const UNPRINTABLE = /[\u0000-\u0008\u000b-\u001f\u007f-\u009f\u200e\u200f\u202a-\u202e\u2066-\u2069]/g;

/** INVARIANT: texts of models, users and files never control the terminal. */
export function printable(text: string): string {
  return text.replace(/\r\n/g, "\n").replace(UNPRINTABLE, "\uFFFD");
}

function escapeCharacter(character: string): string {
  return `\\u${character.charCodeAt(0).toString(16).padStart(4, "0")}`;
}
