import type { GuardrailsEvent } from "../../engine/events.js";
import { isObject } from "../../langchain/values/message-kinds.js";
import { didYouMean } from "../../diagnostics/suggestion.js";
import type { Printer } from "../command-line.js";
import { type Conversation, formatEvent } from "./conversation.js";

interface ChatCommand {
  readonly usage: string;
  readonly about: string;
  run(conversation: Conversation, rest: string, printer: Printer): Promise<void> | void;
}

const ONLY_EVENTS = "only conversations in Colang 2.x have events and timers";

/** Commands of a chat, by name. */
const COMMANDS: Readonly<Record<string, ChatCommand>> = {
  why: {
    usage: "/why <flow>",
    about: "why a flow acted in the last turn, or why it did not",
    run: (conversation, flow, printer) => {
      if (flow === "") return printer.line("name a flow: /why <flow>", "yellow");
      const explained = conversation.why(flow);
      if (explained === undefined) return printer.line("nothing has been said yet", "yellow");
      printer.line(`${explained.flow}: ${explained.outcome}`);
      for (const reason of explained.reasons) printer.line(`  ${reason}`, "dim");
    },
  },
  events: {
    usage: "/events",
    about: "events of the last turn",
    run: ({ events }, _rest, printer) => {
      if (events.length === 0) printer.line("there were no events", "yellow");
      for (const event of events) printer.line(`  ${formatEvent(event)}`, "dim");
    },
  },
  state: {
    usage: "/state",
    about: "the conversation as JSON",
    run: async (conversation, _rest, printer) => {
      const state = await conversation.state();
      if (state === undefined) printer.line("nothing has been said yet", "yellow");
      else printer.json(state);
    },
  },
  event: {
    usage: "/event <type> [json]",
    about: "send an event (Colang 2.x)",
    run: async (conversation, rest, printer) => {
      if (conversation.send === undefined) return printer.line(ONLY_EVENTS, "yellow");
      const event = readEvent(rest);
      if (typeof event === "string") printer.line(event, "yellow");
      else await conversation.send(event);
    },
  },
  timers: {
    usage: "/timers",
    about: "timers that run (Colang 2.x)",
    run: ({ timers }, _rest, printer) => {
      if (timers === undefined) return printer.line(ONLY_EVENTS, "yellow");
      printer.line(timers.length === 0 ? "no timer runs" : timers.map((seconds) => `${seconds} s`).join(", "));
    },
  },
  ring: {
    usage: "/ring",
    about: "let the next timer ring now (Colang 2.x)",
    run: async (conversation, _rest, printer) => {
      if (conversation.ring === undefined) return printer.line(ONLY_EVENTS, "yellow");
      await conversation.ring();
    },
  },
};

const OTHERS: readonly (readonly [string, string])[] = [
  ["/help", "this list"],
  ["/quit", "end the chat, as Ctrl+D does"],
];

/** Parses `Type {"key": "value"}`; returns the problem if it is invalid. */
function readEvent(text: string): GuardrailsEvent | string {
  const at = text.search(/[\s{]/);
  const type = at === -1 ? text : text.slice(0, at);
  const json = at === -1 ? "" : text.slice(at).trim();
  if (type === "") return "name an event: /event <type> [json]";
  try {
    const fields: unknown = json === "" ? {} : JSON.parse(json);
    if (!isObject(fields)) return `expected a JSON object after \`${type}\``;
    return { ...fields, type };
  } catch (error) {
    return `expected a JSON object after \`${type}\`: ${(error as Error).message}`;
  }
}

/** Runs a line that starts with a slash. Returns false if the chat ends. */
export async function runChatCommand(line: string, conversation: Conversation, printer: Printer): Promise<boolean> {
  const [name = "", ...rest] = line.slice(1).split(" ");
  if (name === "quit" || name === "exit") return false;
  if (name === "help") {
    const rows = [...Object.values(COMMANDS).map(({ usage, about }) => [usage, about] as const), ...OTHERS];
    for (const [usage, about] of rows) printer.line(`  ${usage.padEnd(22)} ${about}`, "dim");
    return true;
  }
  const command = Object.hasOwn(COMMANDS, name) ? COMMANDS[name] : undefined;
  if (command === undefined) {
    const hint = didYouMean(name, [...Object.keys(COMMANDS), "help", "quit"])?.replaceAll("`", "");
    printer.line(`there is no command /${name}; ${hint ?? "/help lists all"}`, "yellow");
  } else await command.run(conversation, rest.join(" ").trim(), printer);
  return true;
}
