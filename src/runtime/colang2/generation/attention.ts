import { actionResult } from "../../../actions/dispatcher.js";
import type { ActionResult } from "../../../actions/action.js";
import type { Colang2Step } from "./services.js";

/** Global variable with what is known of the attention of a user; part of the conversation, as all of them are. */
const MATERIAL = "attention_material";

/** Time that the user spent on each level since the utterance began. */
interface Material {
  readonly at: number;
  readonly level: string | null;
  readonly durations: Readonly<Record<string, number>>;
}

/** For the time without a level. */
const NONE = "";

/**
 * Notes that an utterance begins, from which on time counts, or that the level of attention is another one now.
 */
export function updateAttention(
  { begins, level }: { readonly begins?: unknown; readonly level?: unknown },
  step: Colang2Step,
): ActionResult {
  const known = current(step);
  const noted: Material =
    begins === true
      ? { at: step.clock.now(), level: known?.level ?? null, durations: {} }
      : { ...(known ?? { at: step.clock.now(), durations: {} }), level: typeof level === "string" ? level : null };
  return actionResult({ contextUpdates: { [MATERIAL]: noted } });
}

/**
 * The share of the time since the utterance began in which the user had one of the levels; of an utterance that took no
 * time, whether the user has one of them.
 *
 * @returns null when nothing is known of the attention
 */
export function attentionShare(levels: unknown, step: Colang2Step): number | null {
  const known = current(step);
  if (known === undefined) return null;
  const wanted = new Set<unknown>(Array.isArray(levels) ? levels : []);
  const all = Object.entries(known.durations);
  const total = all.reduce((sum, [, duration]) => sum + duration, 0);
  if (total <= 0) return known.level !== null && wanted.has(known.level) ? 1 : 0;
  return all.reduce((sum, [level, duration]) => sum + (wanted.has(level) ? duration : 0), 0) / total;
}

/** Returns the known attention, with the time up to now. */
function current({ globals, clock }: Colang2Step): Material | undefined {
  const stored = Object.hasOwn(globals, MATERIAL) ? globals[MATERIAL] : undefined;
  if (!isMaterial(stored)) return undefined;
  const now = clock.now();
  const key = stored.level ?? NONE;
  const before = Object.hasOwn(stored.durations, key) ? (stored.durations[key] ?? 0) : 0;
  const durations = { ...stored.durations, [key]: before + Math.max(0, now - stored.at) };
  return { at: now, level: stored.level, durations };
}

function isMaterial(value: unknown): value is Material {
  if (typeof value !== "object" || value === null) return false;
  const { at, level, durations } = value as Partial<Material>;
  return (
    typeof at === "number" &&
    (level === null || typeof level === "string") &&
    typeof durations === "object" &&
    durations !== null &&
    Object.values(durations).every((duration) => typeof duration === "number")
  );
}
