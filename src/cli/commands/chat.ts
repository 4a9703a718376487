import { createInterface, type Interface } from "node:readline";
import { Cancellation, onAbortOf } from "../../engine/async.js";
import type { RailDecision } from "../../turn/decision.js";
import { runChatCommand } from "../chat/chat-commands.js";
import type { Conversation } from "../chat/conversation.js";
import { EventConversation } from "../chat/event-conversation.js";
import { variable } from "../../config/environment.js";
import { ServerConversation } from "../chat/server-conversation.js";
import { readSession, writeSession } from "../chat/session-file.js";
import { ChatThread, TurnConversation } from "../chat/turn-conversation.js";
import { type CommandLine, EXIT, type ExitCode, UsageError } from "../command-line.js";
import { openConfiguration, type OpenOptions } from "../open-configuration.js";

export interface ChatOptions extends OpenOptions {
  /** File that stores the conversation. */
  readonly session?: string;
  /** URL of a server to chat with, instead of a configuration. */
  readonly serverUrl?: string;
  /** Configuration of the server. */
  readonly configId?: string;
}

const PROMPT = "> ";

/** `chat`: runs a conversation line by line, until the input ends. */
export async function runChat(
  path: string | undefined,
  options: ChatOptions,
  commandLine: CommandLine,
): Promise<ExitCode> {
  const { stdin, stdout, terminal, signal } = commandLine;
  const lines = createInterface({
    input: stdin,
    ...(terminal === undefined ? {} : { output: terminal }),
    prompt: PROMPT,
    terminal: terminal !== undefined,
  });
  // Lines typed while the configuration loads are queued.
  const input = lines[Symbol.asyncIterator]();
  const isInteractive = terminal !== undefined;
  // Ctrl+D during a reply closes the input, and another prompt would reopen it.
  let isOpen = true;
  lines.once("close", () => (isOpen = false));
  const prompt = (keepsCursor = false): void => {
    if (isInteractive && isOpen) lines.prompt(keepsCursor);
  };
  const close = (): void => lines.close();
  const stopListening = onAbortOf(signal, close);
  let conversation: Conversation | undefined;
  try {
    const opened = await openEither(path, options, commandLine, () => prompt(true));
    conversation = opened.conversation;
    if (isInteractive) {
      stdout.line("Type a message, or /help. Ctrl+C ends a reply, Ctrl+D the chat.", "dim");
      prompt();
    }
    await converse({ lines, input, conversation, isInteractive, prompt, save: opened.save }, commandLine);
  } finally {
    conversation?.close();
    lines.close();
    stopListening();
  }
  return signal.aborted ? EXIT.interrupted : EXIT.ok;
}

interface Opened {
  readonly conversation: Conversation;
  readonly save: () => Promise<void>;
}

/** @throws UsageError unless exactly one of configuration and server is given */
function openEither(
  path: string | undefined,
  options: ChatOptions,
  commandLine: CommandLine,
  onPrinted: () => void,
): Promise<Opened> {
  const { serverUrl, configId } = options;
  if ((path === undefined) === (serverUrl === undefined)) {
    const both = path === undefined ? "" : ", not both";
    throw new UsageError(`name a configuration, or a server with --server-url${both}`);
  }
  if (serverUrl === undefined && configId !== undefined) throw new UsageError("--config-id needs --server-url");
  return path === undefined
    ? openServer(options, commandLine)
    : openConversation(path, options, commandLine, onPrinted);
}

/** Dialect of session files for chats with a server, which contain the id of the stored conversation. */
const OF_SERVER = "server";

async function openServer(
  { serverUrl = "", configId, session }: ChatOptions,
  commandLine: CommandLine,
): Promise<Opened> {
  const { stdout, env, signal } = commandLine;
  const apiKey = variable(env, "LANGCHAIN_GUARDRAILS_API_KEY");
  const state = session === undefined ? undefined : await readSession(session, OF_SERVER);
  const conversation = await ServerConversation.open({ url: serverUrl, apiKey, configId }, stdout, signal);
  if (state !== undefined) {
    stdout.line(`going on with ${session}`, "dim");
    conversation.restore(state);
  }
  const save = async (): Promise<void> => {
    const kept = await conversation.state();
    if (session !== undefined && kept !== undefined) await writeSession(session, OF_SERVER, kept);
  };
  return { conversation, save };
}

async function openConversation(
  path: string,
  options: ChatOptions,
  commandLine: CommandLine,
  onPrinted: () => void,
): Promise<Opened> {
  const { stdout } = commandLine;
  const thread = new ChatThread();
  let onDecision = (_decision: RailDecision): void => undefined;
  const guardrails = await openConfiguration(path, options, commandLine, {
    threads: thread,
    onDecision: (decision) => onDecision(decision),
  });
  const dialect = guardrails.config.settings.colang_version;
  const { session } = options;
  const state = session === undefined ? undefined : await readSession(session, dialect);
  if (state !== undefined) stdout.line(`going on with ${session}`, "dim");
  let conversation: Conversation;
  if (dialect === "2.x") {
    const byEvents = new EventConversation(guardrails, stdout, state, onPrinted);
    onDecision = (decision) => byEvents.decided(decision);
    conversation = byEvents;
  } else {
    if (state !== undefined) thread.restore(state);
    conversation = new TurnConversation(guardrails, thread, stdout);
  }
  const save = async (): Promise<void> => {
    const kept = session === undefined ? undefined : await conversation.state();
    if (session !== undefined && kept !== undefined) await writeSession(session, dialect, kept);
  };
  return { conversation, save };
}

interface Talk {
  readonly lines: Interface;
  readonly input: AsyncIterator<string>;
  readonly conversation: Conversation;
  readonly isInteractive: boolean;
  /** Prompts for the next line, unless the input is a pipe. */
  readonly prompt: () => void;
  readonly save: () => Promise<void>;
}

async function converse(talk: Talk, { stdout, signal }: CommandLine): Promise<void> {
  const { lines, input, conversation, isInteractive, prompt, save } = talk;
  let turn: Cancellation | undefined;
  lines.on("SIGINT", () => (turn === undefined ? lines.close() : turn.abort(new Error("ended by Ctrl+C"))));
  for (let next = await input.next(); next.done !== true && !signal.aborted; next = await input.next()) {
    const line = next.value.trim();
    if (line !== "") {
      if (!isInteractive) stdout.line(`${PROMPT}${line}`, "bold");
      turn = Cancellation.following(signal);
      try {
        if (line.startsWith("/") && !line.startsWith("//")) {
          if (!(await runChatCommand(line, conversation, stdout))) return;
        } else await conversation.say(line.replace(/^\/\//, "/"), turn.signal);
        await save();
      } catch (error) {
        stdout.line(`  error: ${error instanceof Error ? error.message : String(error)}`, "red");
      }
      turn.release();
      turn = undefined;
    }
    prompt();
  }
}
