import type {
  PlaygroundDraft,
  PlaygroundEvent,
  PlaygroundFile,
  PlaygroundStart,
  PlaygroundTurn,
  PlaygroundTurnRequest,
  SharedConversation,
} from "../wire.js";

/** An error response of the server. */
export class ServerError extends Error {
  override readonly name = "ServerError";
  readonly status: number;

  constructor(status: number, message: string) {
    super(message);
    this.status = status;
  }
}

/** Receives the progress of a turn. */
export interface TurnWatcher {
  readonly signal: AbortSignal;
  /** Receives the text so far. */
  onText(text: string): void;
  onWork?(kind: string, name: string): void;
}

/** Client of the playground routes. The key is kept only in memory. */
export class PlaygroundServer {
  #key = "";

  useKey(key: string): void {
    this.#key = key;
  }

  async start(): Promise<PlaygroundStart> {
    return (await (await this.#post("configs", {})).json()) as PlaygroundStart;
  }

  async draft(config: string, files: readonly PlaygroundFile[], signal: AbortSignal): Promise<PlaygroundDraft> {
    return (await (await this.#post("drafts", { config, files }, signal)).json()) as PlaygroundDraft;
  }

  async share(shared: SharedConversation): Promise<string> {
    const { html } = (await (await this.#post("shared", shared)).json()) as { readonly html: string };
    return html;
  }

  /** @throws ServerError for a turn that failed */
  async turn(request: PlaygroundTurnRequest, { signal, onText, onWork }: TurnWatcher): Promise<PlaygroundTurn> {
    const response = await this.#post("turns", request, signal);
    let text = "";
    let turn: PlaygroundTurn | undefined;
    for await (const event of eventsOf(response)) {
      if ("error" in event) throw new ServerError(500, event.error.message);
      if (event.type === "turn") turn = event.turn;
      else if (event.type === "work-start") onWork?.(event.kind, event.name);
      else onText((text = event.type === "text-delta" ? text + event.text : ""));
    }
    if (turn !== undefined) return turn;
    throw new ServerError(500, "The connection ended before the turn did.");
  }

  async #post(route: string, body: unknown, signal?: AbortSignal): Promise<Response> {
    const response = await fetch(`/playground/${route}`, {
      method: "POST",
      headers: {
        "content-type": "application/json",
        "x-guardrails-playground": "1",
        ...(this.#key === "" ? {} : { authorization: `Bearer ${this.#key}` }),
      },
      body: JSON.stringify(body),
      ...(signal === undefined ? {} : { signal }),
    });
    if (response.ok) return response;
    const { error } = (await response.json().catch(() => ({}))) as { readonly error?: { readonly message?: string } };
    throw new ServerError(response.status, error?.message ?? `The server responded with status ${response.status}.`);
  }
}

type StreamEvent = PlaygroundEvent | { readonly error: { readonly message: string } };

async function* eventsOf({ body }: Response): AsyncGenerator<StreamEvent> {
  if (body === null) return;
  const reader = body.pipeThrough(new TextDecoderStream()).getReader();
  let buffer = "";
  try {
    for (let next = await reader.read(); !next.done; next = await reader.read()) {
      buffer += next.value;
      const events = buffer.split("\n\n");
      buffer = events.pop() ?? "";
      for (const event of events) {
        if (event.startsWith("data: {")) yield JSON.parse(event.slice("data: ".length)) as StreamEvent;
      }
    }
  } finally {
    void reader.cancel().catch(() => undefined);
  }
}
