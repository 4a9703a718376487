import type { MetricSnapshot } from "../metrics/prometheus.js";
import type { MetricsPage } from "../observer.js";
import { asMessage, messageIn, type ReadyWorker, type ToPool, type ToWorker } from "./messages.js";

/** The part of `process` that a worker uses to exchange messages. */
export interface MessagePort {
  send?(message: object): unknown;
  on(event: "message", listener: (message: unknown) => void): unknown;
}

/** Tasks that a pool may request from a worker. */
export interface WorkerDuties {
  /** @param config - id of the configuration; undefined for all */
  reload(config: string | undefined): Promise<void>;
  snapshot(): Promise<readonly MetricSnapshot[]>;
}

/** Connection of a worker process to its pool. */
export class WorkerChannel {
  readonly #port: MessagePort;
  readonly #pages = new Map<number, (page: MetricsPage) => void>();
  #numbers = 0;
  #duties: WorkerDuties | undefined;
  #stop: () => void = () => undefined;
  /** Resolves when the pool stops the worker. */
  readonly stopped = new Promise<void>((resolve) => (this.#stop = resolve));

  constructor(port: MessagePort) {
    this.#port = port;
    port.on("message", (given) => {
      const message = messageIn<ToWorker>(given);
      if (message !== undefined) void this.#receive(message);
    });
  }

  /** Reports to the pool that the worker accepts requests. */
  ready(about: ReadyWorker, duties: WorkerDuties): void {
    this.#duties = duties;
    this.#send({ kind: "ready", about });
  }

  /** Returns the metrics page for all workers of the pool. */
  page(): Promise<MetricsPage> {
    const number = (this.#numbers += 1);
    return new Promise((resolve) => {
      this.#pages.set(number, resolve);
      this.#send({ kind: "page", number });
    });
  }

  async #receive(message: ToWorker): Promise<void> {
    const duties = this.#duties;
    if (message.kind === "stop") this.#stop();
    else if (message.kind === "page") {
      this.#pages.get(message.number)?.(message.page);
      this.#pages.delete(message.number);
    } else if (duties === undefined) return;
    else if (message.kind === "reload") {
      const { number, config } = message;
      const problem = await duties.reload(config).then(
        () => undefined,
        (error: unknown) => (error instanceof Error ? error.message : String(error)),
      );
      this.#send({ kind: "reloaded", number, problem });
    } else this.#send({ kind: "measured", number: message.number, snapshot: await duties.snapshot() });
  }

  #send(message: ToPool): void {
    this.#port.send?.(asMessage(message));
  }
}
