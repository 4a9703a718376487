import type * as JsYaml from "js-yaml";
import type { Event, MappingEvent, ScalarEvent, SequenceEvent } from "js-yaml";

import { type Diagnostic, report } from "../../diagnostics/diagnostic.js";
import { type SourceFile, createSpan, type Span } from "../../diagnostics/source-file.js";

/** Place of a value, in the shape in which it is written; aliases stay references. */
export interface Position {
  readonly start: number;
  end: number;
  /** Of a map. */
  readonly entries?: Map<string, EntryPosition>;
  /** Maps that `<<` merges into a map, the strongest first. */
  readonly merged?: Position[];
  /** Of a list. */
  readonly items?: (Position | undefined)[];
}

export interface EntryPosition {
  readonly keySpan: Span | undefined;
  readonly value: Position | undefined;
}

export interface Positions {
  readonly documents: number;
  readonly root: Position | undefined;
  readonly duplicates: readonly Diagnostic[];
  readonly problems: readonly Diagnostic[];
}

/** Further ones would add nothing new. */
const MAX_DUPLICATES = 50;

interface Frame {
  readonly position: Position;
  /** Key that waits for its value; without a text if it is not a scalar. */
  key?: { readonly text: string | undefined; readonly span: Span; readonly isMerge: boolean } | undefined;
}

type Decoder = Pick<typeof JsYaml, "EVENT_ID" | "getScalarValue" | "SCALAR_STYLE">;

/** Reads the places of all keys and values from the parser's events, without expanding aliases. */
export function readPositions(events: readonly Event[], source: SourceFile, yaml: Decoder): Positions {
  const reader = new PositionReader(source, yaml);
  for (const event of events) reader.read(event);
  return reader;
}

class PositionReader implements Positions {
  documents = 0;
  root: Position | undefined;
  readonly duplicates: Diagnostic[] = [];
  readonly problems: Diagnostic[] = [];
  readonly #source: SourceFile;
  readonly #yaml: Decoder;
  readonly #frames: (Frame | "document")[] = [];
  readonly #anchors = new Map<string, Position>();
  #last = 0;

  constructor(source: SourceFile, yaml: Decoder) {
    this.#source = source;
    this.#yaml = yaml;
  }

  read(event: Event): void {
    const { EVENT_ID } = this.#yaml;
    switch (event.type) {
      case EVENT_ID.DOCUMENT:
        this.#openDocument();
        break;
      case EVENT_ID.MAPPING:
        this.#open({ start: event.start, end: event.start, entries: new Map(), merged: [] }, event);
        break;
      case EVENT_ID.SEQUENCE:
        this.#open({ start: event.start, end: event.start, items: [] }, event);
        break;
      case EVENT_ID.SCALAR:
        this.#scalar(event);
        break;
      case EVENT_ID.ALIAS:
        this.#last = event.anchorEnd;
        this.#add(
          this.#anchors.get(this.#source.text.slice(event.anchorStart, event.anchorEnd)),
          event.anchorStart - 1,
          event.anchorEnd,
        );
        break;
      case EVENT_ID.POP:
        this.#close();
        break;
    }
  }

  #openDocument(): void {
    this.#frames.push("document");
    this.#anchors.clear();
    if ((this.documents += 1) !== 2) return;
    const at = this.#source.text.indexOf("\n---", Math.max(0, this.#last - 1)) + 1;
    report(this.problems, "CF-102", "a second document in one file", {
      span: createSpan(this.#source, at, at + 3),
      hint: "a configuration is one document; remove the line `---` or use two files",
    });
  }

  #open(position: Position, event: MappingEvent | SequenceEvent): void {
    this.#anchor(event, position);
    this.#add(position, position.start, position.start + 1);
    this.#frames.push({ position });
    this.#last = Math.max(this.#last, position.start);
  }

  #scalar(event: ScalarEvent): void {
    const present = event.valueStart >= 0;
    const quoted =
      event.style === this.#yaml.SCALAR_STYLE.SINGLE_QUOTED || event.style === this.#yaml.SCALAR_STYLE.DOUBLE_QUOTED;
    const margin = quoted ? 1 : 0;
    const start = present ? event.valueStart - margin : this.#last;
    const end = present ? event.valueEnd + margin : this.#last;
    this.#last = Math.max(this.#last, end);
    const position = present ? { start, end } : undefined;
    if (position) this.#anchor(event, position);
    const frame = this.#frames.at(-1);
    const isKey = frame !== undefined && frame !== "document" && frame.position.entries && frame.key === undefined;
    const text = isKey ? this.#yaml.getScalarValue(this.#source.text, event) : undefined;
    this.#add(position, start, end, text, !quoted && text === "<<");
  }

  #anchor(event: MappingEvent | SequenceEvent | ScalarEvent, position: Position): void {
    if (event.anchorStart < 0) return;
    this.#anchors.set(this.#source.text.slice(event.anchorStart, event.anchorEnd), position);
  }

  #add(position: Position | undefined, start: number, end: number, text?: string, isMerge = false): void {
    const frame = this.#frames.at(-1);
    if (frame === undefined) return;
    if (frame === "document") {
      if (this.documents === 1) this.root = position;
      return;
    }
    const { entries, merged, items } = frame.position;
    items?.push(position);
    if (!entries) return;
    const { key } = frame;
    frame.key = key === undefined ? { text, span: createSpan(this.#source, start, end), isMerge } : undefined;
    // A list of mappings is still open at this point, so it is kept whole and read later.
    if (key?.isMerge && position) merged?.push(position);
    else if (key?.text !== undefined) this.#addEntry(entries, key.text, { keySpan: key.span, value: position });
  }

  #addEntry(entries: Map<string, EntryPosition>, key: string, entry: EntryPosition): void {
    const earlier = entries.get(key);
    if (earlier && this.duplicates.length < MAX_DUPLICATES) {
      report(this.duplicates, "CF-102", `the key \`${key}\` is written twice`, {
        span: entry.keySpan,
        labels: [{ span: earlier.keySpan, text: "first written here" }],
        hint: "remove one of the two, or join what they contain",
      });
    }
    entries.set(key, entry);
  }

  #close(): void {
    const frame = this.#frames.pop();
    if (frame !== undefined && frame !== "document") frame.position.end = Math.max(frame.position.start, this.#last);
  }
}
