/** Colored statuses; all others are neutral. */
const TONES: Readonly<Record<string, string>> = {
  passed: "good",
  ok: "good",
  decided: "good",
  took: "good",
  modified: "warn",
  lost: "warn",
  suspended: "warn",
  stopped: "warn",
  aborted: "warn",
  "not-started": "warn",
  cancelled: "warn",
  warning: "warn",
  blocked: "bad",
  error: "bad",
  failed: "bad",
};

const LABELS: Readonly<Record<string, string>> = {
  decided: "won",
  suspended: "waits",
  "not-started": "not started",
  unseen: "not concerned",
  ran: "ran",
};

/** A status as a colored label. */
export function Badge({ status }: { readonly status: string }) {
  const tone = Object.hasOwn(TONES, status) ? TONES[status] : "plain";
  return <span class={`badge ${tone}`}>{Object.hasOwn(LABELS, status) ? LABELS[status] : status}</span>;
}

/** Formats milliseconds for display. */
export function formatMs(milliseconds: number): string {
  if (milliseconds < 10) return `${milliseconds.toFixed(2)} ms`;
  return milliseconds < 10_000 ? `${Math.round(milliseconds)} ms` : `${(milliseconds / 1_000).toFixed(1)} s`;
}

/** Formats a number with its noun. */
export function countOf(count: number, noun: string): string {
  return `${count} ${noun}${count === 1 ? "" : "s"}`;
}
