import type { PlaygroundConfig, PlaygroundDraft, PlaygroundFile, PlaygroundStart, PlaygroundTurn } from "../wire.js";
import type { OpenTurn } from "./conversation.js";
import { focusDetails, isNarrow } from "./narrow.js";
import { PlaygroundServer, ServerError } from "./server.js";

/** The files that turns run with: the served ones or changed ones. */
export interface Version {
  /** Id of the changed files on the server; absent for the served ones. */
  readonly draft?: string;
  readonly files: readonly PlaygroundFile[];
}

/** A conversation repeated turn by turn with changed files. */
export interface Replay {
  readonly version: Version;
  readonly conversation: string;
  readonly before: readonly PlaygroundTurn[];
  readonly after: readonly PlaygroundTurn[];
  readonly isRunning: boolean;
}

/** Data that the page shows. */
export interface View {
  readonly start?: PlaygroundStart;
  readonly needsKey: boolean;
  readonly config: string;
  readonly version: Version;
  readonly tab: string;
  readonly turns: readonly PlaygroundTurn[];
  readonly open?: OpenTurn | undefined;
  readonly selected: number;
  /** Text of the status line, which screen readers announce. */
  readonly status: string;
  readonly isFailed: boolean;
  /** Changed texts of the configuration by path. */
  readonly edits: Readonly<Record<string, string>>;
  /** Check result of the changed files; undefined while it runs, and without changes. */
  readonly check?: PlaygroundDraft | undefined;
  readonly replay?: Replay | undefined;
}

const EMPTY: View = {
  needsKey: false,
  config: "",
  version: { files: [] },
  tab: "time-line",
  turns: [],
  selected: -1,
  status: "Loading…",
  isFailed: false,
  edits: {},
};

/** Time without typing after which changed files are checked, in milliseconds. */
const CHECK_AFTER_MS = 300;

/** State of the page with all user actions. */
export class PlaygroundState {
  readonly #server = new PlaygroundServer();
  readonly #listeners = new Set<() => void>();
  #view: View = { ...EMPTY, tab: isNarrow() ? "chat" : EMPTY.tab };
  #conversation = newId();
  #turn: AbortController | undefined;
  #checking: AbortController | undefined;
  #checkTimer: ReturnType<typeof setTimeout> | undefined;

  get view(): View {
    return this.#view;
  }

  subscribe(listener: () => void): () => void {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  }

  async load(key?: string): Promise<void> {
    if (key !== undefined) this.#server.useKey(key);
    try {
      const start = await this.#server.start();
      this.#set({ start, needsKey: false, status: "", isFailed: false });
      this.choose(start.configs[0]?.id ?? "");
    } catch (error) {
      const needsKey = error instanceof ServerError && (error.status === 401 || error.status === 403);
      this.#set({ needsKey, status: key === undefined && needsKey ? "" : messageOf(error), isFailed: true });
    }
  }

  /** Switches to another configuration. */
  choose(config: string): void {
    this.#set({ config, edits: {}, check: undefined, version: { files: this.#filesOf(config) } });
    this.restart();
  }

  /** Starts a new conversation with the current files. */
  restart(version: Version = this.#view.version): void {
    this.stop();
    this.#conversation = newId();
    this.#set({ version, turns: [], open: undefined, selected: -1, replay: undefined, status: "", isFailed: false });
  }

  show(tab: string): void {
    this.#set({ tab });
  }

  readonly select = (selected: number): void => {
    const { tab } = this.#view;
    this.#set({ selected, tab: tab === "flows" ? "flows" : "time-line" });
    focusDetails();
  };

  stop(): void {
    this.#turn?.abort();
    this.#turn = undefined;
  }

  async send(text: string): Promise<void> {
    const { version } = this.#view;
    const conversation = this.#conversation;
    const turn = await this.#take(text, version, conversation, (open) => this.#set({ open }));
    // Another conversation has started meanwhile.
    if (this.#conversation !== conversation) return;
    if (turn === undefined) {
      this.#set({ open: undefined });
      return;
    }
    const turns = [...this.#view.turns, turn];
    const outcome = turn.blocked ? `Blocked by ${turn.rail ?? "a rail"}: ${turn.reply}` : "The bot has replied.";
    this.#set({ turns, open: undefined, selected: turns.length - 1, status: outcome });
  }

  /** Changes a file; the result is checked shortly after. */
  edit(path: string, text: string): void {
    const original = this.#filesOf(this.#view.config).find((file) => file.path === path)?.text;
    const { [path]: _old, ...others } = this.#view.edits;
    this.#set({ edits: text === original ? others : { ...others, [path]: text }, check: undefined });
    this.#checking?.abort();
    clearTimeout(this.#checkTimer);
    if (Object.keys(this.#view.edits).length > 0)
      this.#checkTimer = setTimeout(() => void this.#check(), CHECK_AFTER_MS);
  }

  /** Restores the served files. */
  undo(): void {
    this.choose(this.#view.config);
  }

  /** The files with their changes. */
  get files(): readonly PlaygroundFile[] {
    const { config, edits } = this.#view;
    return this.#filesOf(config).map(({ path, text }) => ({
      path,
      text: Object.hasOwn(edits, path) ? (edits[path] ?? text) : text,
    }));
  }

  /** The changed files as a version, if they contain no errors. */
  get changed(): Version | undefined {
    const draft = this.#view.check?.draft;
    return draft === undefined ? undefined : { draft, files: this.files };
  }

  /** Repeats the user messages of the conversation with the changed files. */
  async replay(): Promise<void> {
    const { changed: version } = this;
    const { turns: before } = this.#view;
    if (version === undefined || before.length === 0) return;
    const replay: Replay = { version, conversation: newId(), before, after: [], isRunning: true };
    this.#set({ replay, tab: "replay", status: "The replay runs." });
    const after: PlaygroundTurn[] = [];
    for (const { user } of before) {
      const turn = await this.#take(user, version, replay.conversation);
      if (this.#view.replay?.conversation !== replay.conversation) return;
      if (turn === undefined) break;
      after.push(turn);
      this.#set({ replay: { ...replay, after: [...after] } });
    }
    const isComplete = after.length === before.length;
    this.#set({
      replay: { ...replay, after, isRunning: false },
      ...(isComplete ? { status: "The replay is complete." } : {}),
    });
  }

  /** Continues with the conversation of the replay. */
  keepReplay(): void {
    const { replay } = this.#view;
    if (replay === undefined) return;
    this.#conversation = replay.conversation;
    const { version, after: turns } = replay;
    this.#set({ version, turns, selected: turns.length - 1, replay: undefined, tab: "time-line" });
  }

  /** Returns the conversation as one HTML file. */
  async share(): Promise<string | undefined> {
    const { config, turns, version } = this.#view;
    try {
      return await this.#server.share({ title: `Conversation with ${config}`, turns, files: version.files });
    } catch (error) {
      this.#set({ status: messageOf(error), isFailed: true });
      return undefined;
    }
  }

  #filesOf(id: string): readonly PlaygroundFile[] {
    return this.#view.start?.configs.find((config: PlaygroundConfig) => config.id === id)?.files ?? [];
  }

  /** Runs a turn. Returns undefined if it failed, and reports the failure in the status. */
  async #take(
    text: string,
    version: Version,
    conversation: string,
    onOpen?: (open: OpenTurn) => void,
  ): Promise<PlaygroundTurn | undefined> {
    this.stop();
    const controller = new AbortController();
    this.#turn = controller;
    onOpen?.({ user: text, text: "" });
    this.#set({ status: "The rails are at work.", isFailed: false });
    const { config } = this.#view;
    const ask = () =>
      this.#server.turn(
        { config, conversation, text, draft: version.draft },
        {
          signal: controller.signal,
          onText: (piece) => {
            if (!controller.signal.aborted) onOpen?.({ user: text, text: piece });
          },
          onWork: (kind, name) => this.#set({ status: `At work: ${kind} ${name}` }),
        },
      );
    try {
      return await ask().catch(async (error: unknown) => {
        // The server keeps only the latest changes; these are sent again.
        if (!(error instanceof ServerError) || error.status !== 404 || version.draft === undefined) throw error;
        await this.#server.draft(config, version.files, controller.signal);
        return ask();
      });
    } catch (error) {
      this.#set({ status: controller.signal.aborted ? "The turn was stopped." : messageOf(error), isFailed: true });
      return undefined;
    } finally {
      if (this.#turn === controller) this.#turn = undefined;
    }
  }

  async #check(): Promise<void> {
    const controller = new AbortController();
    this.#checking = controller;
    try {
      const check = await this.#server.draft(this.#view.config, this.files, controller.signal);
      if (!controller.signal.aborted) this.#set({ check });
    } catch (error) {
      if (!controller.signal.aborted) this.#set({ status: messageOf(error), isFailed: true });
    }
  }

  #set(change: Partial<View>): void {
    this.#view = { ...this.#view, ...change };
    for (const listener of this.#listeners) listener();
  }
}

function messageOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}

/** Returns an unguessable id. `crypto.randomUUID` is not available on a page without a secure origin. */
function newId(): string {
  return Array.from(crypto.getRandomValues(new Uint8Array(16)), (byte) => byte.toString(16).padStart(2, "0")).join("");
}
