/** A rail that calls a service, with its contract: its requests, and its results for responses. */
export interface ServiceRow {
  readonly flow: string;
  readonly stage: "input" | "output" | "retrieval";
  /** Environment variables; `<url>` stands for the address of the service. */
  readonly env: Readonly<Record<string, string>>;
  /** `rails.config`; `<url>` stands for the address of the service. */
  readonly settings: object;
  /** The key of the rail below `rails.config`. */
  readonly key: string;
  /** The request for the text `TEXT`. */
  readonly request: { readonly path: string; readonly headers?: object; readonly body: object };
  /** Value that the service responds with to a text that may pass. */
  readonly passes: unknown;
  /** Values with which a text is blocked. */
  readonly blocks?: readonly unknown[];
  readonly refusal?: string;
  readonly exception?: string;
  /** A value with which the text becomes `to`. */
  readonly rewrites?: { readonly reply: unknown; readonly to: string };
  /** Values that are not a verdict: wrong types, contradictions, missing fields. */
  readonly invalid: readonly unknown[];
  /** Documents for a bot message, for rails that compare both. */
  readonly evidence?: readonly string[];
  /** Responses are lines of JSON. */
  readonly lines?: true;
  /** A setting that is missing, without an environment variable: the configuration must not load. */
  readonly incomplete?: object;
}

/** The text that is checked. */
export const TEXT = "the quick brown fox of Ada Lovelace";

export const KEY = "key-0123456789abcdef";

export const UNKNOWN = "I'm sorry, I don't know the answer to that.";

export const BEARER = { authorization: `Bearer ${KEY}` };
