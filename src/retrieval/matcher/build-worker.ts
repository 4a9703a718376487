// The thread of `worker-build.ts`, shipped as a file without imports of its own.
import { parentPort, workerData } from "node:worker_threads";
import type { BuildJob } from "./build-job.js";
import { buildModel } from "./build-model.js";
import type { WorkerMessage } from "./worker-build.js";

const send = (message: WorkerMessage, buffers?: ArrayBuffer[]): void => parentPort?.postMessage(message, buffers);

/** The buffers of a value, each once, which are transferred rather than copied. */
function buffersOf(value: unknown, found = new Set<ArrayBuffer>()): Set<ArrayBuffer> {
  if (ArrayBuffer.isView(value)) found.add(value.buffer as ArrayBuffer);
  else if (typeof value === "object" && value !== null) {
    for (const part of Object.values(value)) buffersOf(part, found);
  }
  return found;
}

const steps = buildModel(workerData as BuildJob);
for (;;) {
  const { done, value } = steps.next();
  if (done === true) {
    send({ kind: "built", built: value }, [...buffersOf(value)]);
    break;
  }
  send({ kind: "progress", progress: value });
}
