// Data between the server and the page of the playground. Types alone: the page imports this file, too.

/** A file of a configuration. */
export interface PlaygroundFile {
  /** Path below the folder of the configuration. */
  readonly path: string;
  readonly text: string;
}

/** A configuration that the page can talk to. */
export interface PlaygroundConfig {
  readonly id: string;
  /** Files to show and change; none for a guardrails object that the application has made. */
  readonly files: readonly PlaygroundFile[];
}

/** Response of `POST /playground/configs`. */
export interface PlaygroundStart {
  readonly configs: readonly PlaygroundConfig[];
  /** True if the page shows texts that rails blocked. */
  readonly unreviewed: boolean;
}

/** A problem of a configuration. Lines and columns count from 1. */
export interface PlaygroundProblem {
  readonly severity: "error" | "warning" | "info";
  readonly code: string;
  readonly message: string;
  readonly hint?: string;
  readonly file?: string;
  readonly line?: number;
  readonly column?: number;
}

/** Response of `POST /playground/drafts`. */
export interface PlaygroundDraft {
  /** Id of the changed configuration; absent if it has errors. */
  readonly draft?: string;
  readonly problems: readonly PlaygroundProblem[];
}

/** Body of `POST /playground/turns`. */
export interface PlaygroundTurnRequest {
  readonly config: string;
  /** A changed configuration instead of the one that is served. */
  readonly draft?: string | undefined;
  /** Id of the conversation, chosen by the page: 8 to 64 letters, digits and hyphens. */
  readonly conversation: string;
  readonly text: string;
}

/** An event of a turn's stream. */
export type PlaygroundEvent =
  | { readonly type: "text-delta"; readonly text: string }
  /** The text so far is withdrawn: a rail blocked it after parts of it had left. */
  | { readonly type: "text-withdrawn" }
  /** Work has begun. */
  | { readonly type: "work-start"; readonly kind: string; readonly name: string }
  | { readonly type: "turn"; readonly turn: PlaygroundTurn };

/** Work of a turn with its times, in milliseconds since the turn began. */
export interface PlaygroundSpan {
  readonly id: string;
  readonly parent?: string;
  readonly kind: string;
  readonly name: string;
  readonly status: string;
  readonly startMs: number;
  readonly durationMs: number;
  readonly stage?: string;
  readonly task?: string;
  readonly model?: string;
  readonly inputTokens?: number;
  readonly outputTokens?: number;
  readonly reason?: string;
  readonly score?: number;
  readonly categories?: readonly string[];
  readonly isShadow?: boolean;
  readonly isCached?: boolean;
  readonly error?: string;
  /** Texts by name: `prompt`, `completion`, `input`, `output`, `param.<name>`. */
  readonly content?: Readonly<Record<string, string>>;
}

/** A step of a flow. */
export interface PlaygroundStep {
  readonly kind: string;
  readonly flow: string;
  readonly text: string;
  readonly file?: string;
  readonly line?: number;
}

/** Reasons why a flow acted in a turn, or why it did not. */
export interface PlaygroundFlow {
  readonly flow: string;
  readonly outcome: string;
  readonly reasons: readonly string[];
}

/** A turn with all that the page shows of it. */
export interface PlaygroundTurn {
  readonly user: string;
  readonly reply: string;
  readonly blocked: boolean;
  readonly rail?: string;
  readonly stage?: string;
  readonly durationMs: number;
  readonly spans: readonly PlaygroundSpan[];
  readonly steps: readonly PlaygroundStep[];
  readonly flows: readonly PlaygroundFlow[];
  /** Errors and warnings of the turn, a sentence each. */
  readonly problems: readonly string[];
  /** Replies of the models, as a test case scripts them: of the main model, and of others by type. */
  readonly script: {
    readonly reply: readonly string[];
    readonly models: Readonly<Record<string, readonly string[]>>;
  };
}

/** Data of a page that is saved as one file. */
export interface SharedConversation {
  readonly title: string;
  readonly turns: readonly PlaygroundTurn[];
  /** Files that steps of the turns point into. */
  readonly files: readonly PlaygroundFile[];
}
