// The entry point `langchain-guardrails/batch`.
export { type BatchProgress, type BatchSummary, moderateFile, type ModerateFileOptions } from "./moderate-file.js";
export { type BatchResult, moderateRows, type ModerateRowsOptions } from "./moderate-rows.js";
export { type BatchRow, readRow, type UnreadableRow } from "./read-row.js";
export { BatchQueue, type BatchQueueOptions, type BatchWorkerOptions } from "./queue/batch-queue.js";
export type { BatchWorker } from "./queue/batch-worker.js";
export type { DeadLetter } from "./queue/dead-letters.js";
