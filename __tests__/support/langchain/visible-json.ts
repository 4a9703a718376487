const RANDOM = /[\da-f]{8}-(?:[\da-f]{4}-){3}[\da-f]{12}|[\da-f]{32,}/gi;
const TIMES = new Set(["durationMs", "startedAt", "finishedAt", "created_at", "timestamp"]);

/** A value as JSON, without the ids, digests and times that may contain any short word or number by chance. */
export function visibleJson(value: unknown): string {
  const visit = (key: string, inner: unknown): unknown => (TIMES.has(key) ? undefined : inner);
  return (JSON.stringify(value, visit) ?? "").replaceAll(RANDOM, "");
}
