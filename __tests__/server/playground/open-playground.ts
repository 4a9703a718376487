import { createGuardrailsApp, type GuardrailsAppOptions, type GuardrailsServer } from "../../../src/server/index.js";
import type { PlaygroundEvent, PlaygroundTurn } from "../../../src/server/playground/wire.js";
import type { GuardrailsOptions } from "../../../src/langchain/load.js";
import { createFolder } from "../../cli/run-cli.js";
import { readEvents } from "../../support/server/guarded-server.js";

const HEADERS = { "content-type": "application/json", "x-guardrails-playground": "1" };

export interface OpenedPlayground extends AsyncDisposable {
  readonly app: GuardrailsServer;
  readonly folder: ReturnType<typeof createFolder>;
  post(path: string, body: unknown, headers?: Readonly<Record<string, string>>): Promise<Response>;
  /** Runs a turn; throws errors that the stream reports. */
  turn(text: string, fields?: object): Promise<PlaygroundTurn>;
}

/** A server with the playground of a configuration in a separate folder, as the configuration `demo`. */
export async function openPlayground(
  files: Readonly<Record<string, string>>,
  options: Partial<GuardrailsAppOptions> = {},
  configOptions: GuardrailsOptions = {},
): Promise<OpenedPlayground> {
  const folder = createFolder(files);
  const configs = { demo: { path: folder.path, options: configOptions } };
  const app = await createGuardrailsApp({ configs, logger: false, playground: true, ...options });
  const post: OpenedPlayground["post"] = async (path, body, headers = {}) =>
    app.fetch(
      new Request(`http://localhost:8000/playground/${path}`, {
        method: "POST",
        headers: { ...HEADERS, ...headers },
        body: JSON.stringify(body),
      }),
    );
  return {
    app,
    folder,
    post,
    turn: async (text, fields = {}) => {
      const response = await post("turns", { config: "demo", conversation: "conversation-1", text, ...fields });
      const events = readEvents(await response.text()) as (PlaygroundEvent | { readonly error: { message: string } })[];
      const failed = events.find((event) => typeof event === "object" && "error" in event);
      if (failed !== undefined) throw new Error(JSON.stringify(failed));
      const last = events.find((event): event is PlaygroundEvent & { type: "turn" } => {
        return typeof event === "object" && "type" in event && event.type === "turn";
      });
      if (last === undefined) throw new Error(`no turn in ${JSON.stringify(events)}`);
      return last.turn;
    },
    [Symbol.asyncDispose]: async () => {
      await app.close(0);
      folder.remove();
    },
  };
}
