import { compileColang2 } from "../../src/colang2/compile.js";
import { EngineConversation, type ConversationOptions } from "../../src/colang2/engine/conversation.js";
import { readState } from "../../src/colang2/engine/state/stored/read-state.js";
import { writeState } from "../../src/colang2/engine/state/stored/encode.js";
import { resolveImports } from "../../src/colang2/imports/imports.js";
import type { Colang2Program } from "../../src/colang2/program.js";
import { isError } from "../../src/diagnostics/diagnostic.js";
import { createSourceFile } from "../../src/diagnostics/source-file.js";
import type { EventDraft, GuardrailsEvent } from "../../src/engine/events.js";

/** Compiles one module with what it imports; problems are a failure of the test. */
export function compileText(text: string): Colang2Program {
  const { modules, diagnostics } = resolveImports({ sources: [createSourceFile("main.co", text)] });
  const compiled = compileColang2({ modules });
  const problems = [...diagnostics, ...compiled.diagnostics].filter(isError);
  if (compiled.program === undefined || problems.length > 0) {
    throw new Error(`does not compile:\n${problems.map((one) => `${one.code} ${one.message}`).join("\n")}\n${text}`);
  }
  return compiled.program;
}

export interface DriverOptions extends ConversationOptions {
  /** Stores the conversation and reads it again after every event. */
  readonly roundTrips?: boolean;
  /** Ends utterances of the bot as soon as they begin, like a chat. */
  readonly speaksAtOnce?: boolean;
}

/** A conversation that feeds sent events back, as hosts do, and can be stored and read again at every step. */
export class Driver {
  readonly program: Colang2Program;
  conversation: EngineConversation;
  readonly #options: ConversationOptions;
  readonly #roundTrips: boolean;
  readonly #speaksAtOnce: boolean;

  constructor(source: string | Colang2Program, options: DriverOptions = {}) {
    this.program = typeof source === "string" ? compileText(source) : source;
    this.#options = options;
    this.#roundTrips = options.roundTrips ?? false;
    this.#speaksAtOnce = options.speaksAtOnce ?? false;
    this.conversation = new EngineConversation(this.program, options);
  }

  /** Runs one batch and returns the sent events, in order. */
  batch(...events: readonly GuardrailsEvent[]): EventDraft[] {
    const sent: EventDraft[] = [];
    let input: readonly GuardrailsEvent[] = [...this.#step(() => this.conversation.begin().events), ...events];
    sent.push(...input.slice(0, input.length - events.length));
    for (let rounds = 0; input.length > 0; rounds += 1) {
      if (rounds > 100) throw new Error("the events do not end");
      const next: EventDraft[] = [];
      for (const event of input) next.push(...this.#step(() => this.conversation.process(event).events));
      sent.push(...next);
      input = this.#speaksAtOnce ? next.flatMap(withAnswers) : next;
    }
    return sent;
  }

  #step(run: () => readonly EventDraft[]): readonly EventDraft[] {
    const events = run();
    if (this.#roundTrips) {
      const stored: unknown = JSON.parse(JSON.stringify(writeState(this.conversation.state)));
      this.conversation = new EngineConversation(readState(this.program, stored, this.#options));
    }
    return events;
  }
}

function withAnswers(event: EventDraft): readonly GuardrailsEvent[] {
  if (event.type !== "StartUtteranceBotAction") return [event];
  const { action_uid, script } = event;
  const finished = { type: "UtteranceBotActionFinished", action_uid, final_script: script, is_success: true };
  return [event, { type: "UtteranceBotActionStarted", action_uid }, finished];
}
