import type * as JsYaml from "js-yaml";
import type { Event, MappingEvent, ScalarEvent, SequenceEvent } from "js-yaml";

import { type Diagnostic, report } from "../../diagnostics/diagnostic.js";
import { type SourceFile, createSpan, type Span } from "../../diagnostics/source-file.js";

/** Places of values, in the shape in which they are written; aliases stay references. */
export type Position = MapPosition | ListPosition | ScalarPosition;

export interface MapPosition {
  readonly kind: "map";
  readonly entries: Map<string, { readonly keySpan: Span | undefined; value: Position | undefined }>;
  /** Maps that `<<` merges in, the strongest first. */
  readonly merged: Position[];
  start: number;
  end: number;
}

interface ListPosition {
  readonly kind: "list";
  readonly items: (Position | undefined)[];
  start: number;
  end: number;
}

interface ScalarPosition {
  readonly kind: "scalar";
  readonly start: number;
  readonly end: number;
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
  readonly position: MapPosition | ListPosition;
  key?: string;
  keySpan?: Span | undefined;
  isMerge?: boolean;
  hasKey: boolean;
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
        this.#open({ kind: "map", entries: new Map(), merged: [], start: event.start, end: event.start }, event);
        break;
      case EVENT_ID.SEQUENCE:
        this.#open({ kind: "list", items: [], start: event.start, end: event.start }, event);
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

  #open(position: MapPosition | ListPosition, event: MappingEvent | SequenceEvent): void {
    this.#anchor(event, position);
    this.#add(position, position.start, position.start + 1);
    this.#frames.push({ position, hasKey: false });
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
    const position: ScalarPosition | undefined = present ? { kind: "scalar", start, end } : undefined;
    if (position) this.#anchor(event, position);
    const text = this.#expectsKey() ? this.#yaml.getScalarValue(this.#source.text, event) : undefined;
    this.#add(position, start, end, text, !quoted && text === "<<");
  }

  #anchor(event: MappingEvent | SequenceEvent | ScalarEvent, position: Position): void {
    if (event.anchorStart < 0) return;
    this.#anchors.set(this.#source.text.slice(event.anchorStart, event.anchorEnd), position);
  }

  #expectsKey(): boolean {
    const frame = this.#frames.at(-1);
    return frame !== undefined && frame !== "document" && frame.position.kind === "map" && !frame.hasKey;
  }

  #add(position: Position | undefined, start: number, end: number, text?: string, isMerge = false): void {
    const frame = this.#frames.at(-1);
    if (frame === undefined) return;
    if (frame === "document") {
      if (this.documents === 1) this.root = position;
      return;
    }
    if (frame.position.kind === "list") {
      frame.position.items.push(position);
      return;
    }
    if (!frame.hasKey) {
      frame.hasKey = true;
      frame.isMerge = isMerge;
      frame.keySpan = createSpan(this.#source, start, end);
      if (text === undefined) delete frame.key;
      else frame.key = text;
      return;
    }
    frame.hasKey = false;
    // A list of mappings is still open at this point, so it is kept whole and read later.
    if (frame.isMerge && position) frame.position.merged.push(position);
    else if (frame.key !== undefined) this.#addEntry(frame.position, frame.key, frame.keySpan, position);
  }

  #addEntry(map: MapPosition, key: string, keySpan: Span | undefined, value: Position | undefined): void {
    const earlier = map.entries.get(key);
    if (earlier && this.duplicates.length < MAX_DUPLICATES) {
      report(this.duplicates, "CF-102", `the key \`${key}\` is written twice`, {
        span: keySpan,
        labels: [{ span: earlier.keySpan, text: "first written here" }],
        hint: "remove one of the two, or join what they contain",
      });
    }
    map.entries.set(key, { keySpan, value });
  }

  #close(): void {
    const frame = this.#frames.pop();
    if (frame !== undefined && frame !== "document") frame.position.end = Math.max(frame.position.start, this.#last);
  }
}
