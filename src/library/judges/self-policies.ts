import type { RailsSettings } from "../../config/settings.js";
import { readOwn } from "../../engine/plain-data.js";

/** `rails.config.self_check`; absent if the configuration has none. */
interface SelfCheckSettings {
  readonly input: Policies;
  readonly output: Policies;
  readonly variants: Readonly<Record<string, Pick<SelfCheckSettings, "input" | "output">>>;
}

interface Policies {
  readonly policies: readonly string[];
}

/** Rules of a self check, and the variant if it names a task instead. */
export interface OwnPolicies extends Policies {
  readonly variant: unknown;
}

const NONE: readonly string[] = [];

/** Returns the rules of a self check: those of its variant if the settings have one of that name. */
export function ownPolicies({ rails }: RailsSettings, side: "input" | "output", variant: unknown): OwnPolicies {
  // The schema fills in defaults only if the configuration has the section.
  const settings = readOwn(rails.config, "self_check") as SelfCheckSettings | undefined;
  if (settings === undefined) return { policies: NONE, variant };
  const named = typeof variant === "string" ? readOwn(settings.variants, variant) : undefined;
  if (named !== undefined) return { policies: (named as SelfCheckSettings)[side].policies, variant: undefined };
  return { policies: settings[side].policies, variant };
}
