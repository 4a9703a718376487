import { compileColang2 } from "../../src/colang2/compile.js";
import { EngineConversation, type ConversationOptions } from "../../src/colang2/engine/conversation.js";
import { readState } from "../../src/colang2/engine/stored/read-state.js";
import { writeState } from "../../src/colang2/engine/stored/write-state.js";
import { parseColang2 } from "../../src/colang2/parse.js";
import type { Colang2Program } from "../../src/colang2/program.js";
import { isError } from "../../src/diagnostics/diagnostic.js";
import { createSourceFile } from "../../src/diagnostics/source-file.js";
import type { EventDraft, GuardrailsEvent } from "../../src/engine/events.js";

/** Compiles one module; problems are a failure of the test. */
export function compileText(text: string): Colang2Program {
  const { ast, diagnostics } = parseColang2(createSourceFile("main.co", text));
  const compiled = compileColang2({ modules: [{ name: "main.co", ast }] });
  const problems = [...diagnostics, ...compiled.diagnostics].filter(isError);
  if (compiled.program === undefined || problems.length > 0) {
    throw new Error(`does not compile:\n${problems.map((one) => `${one.code} ${one.message}`).join("\n")}\n${text}`);
  }
  return compiled.program;
}

/** A conversation that feeds back what is sent, as hosts do (R-REFEED), and can be stored and read again at every step. */
export class Driver {
  readonly program: Colang2Program;
  conversation: EngineConversation;
  readonly #options: ConversationOptions;
  readonly #roundTrips: boolean;

  constructor(text: string, options: ConversationOptions & { readonly roundTrips?: boolean } = {}) {
    this.program = compileText(text);
    this.#options = options;
    this.#roundTrips = options.roundTrips ?? false;
    this.conversation = new EngineConversation(this.program, options);
  }

  /** One batch: what is sent, in order. */
  batch(...events: readonly GuardrailsEvent[]): EventDraft[] {
    const sent: EventDraft[] = [];
    let input: readonly GuardrailsEvent[] = [...this.#step(() => this.conversation.begin().events), ...events];
    sent.push(...input.slice(0, input.length - events.length));
    for (let rounds = 0; input.length > 0; rounds += 1) {
      if (rounds > 100) throw new Error("the events do not end");
      const next: EventDraft[] = [];
      for (const event of input) next.push(...this.#step(() => this.conversation.process(event).events));
      sent.push(...next);
      input = next;
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
