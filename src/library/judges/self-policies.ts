import type { RailsSettings } from "../../config/settings.js";
import { readOwn } from "../../engine/plain-data.js";

/** `rails.config.self_check`, where the configuration states it. */
interface SelfCheckSettings {
  readonly input: Policies;
  readonly output: Policies;
  readonly variants: Readonly<Record<string, Pick<SelfCheckSettings, "input" | "output">>>;
}

interface Policies {
  readonly policies: readonly string[];
}

/** Rules of a self check, and the variant that is left for the name of a task. */
export interface OwnPolicies extends Policies {
  readonly variant: unknown;
}

const NONE: readonly string[] = [];

/** Returns the rules in plain words of a self check: those of its variant, where the settings have one of that name. */
export function ownPolicies({ rails }: RailsSettings, side: "input" | "output", variant: unknown): OwnPolicies {
  // The schema completes the section, which is absent if the configuration does not state it.
  const settings = readOwn(rails.config, "self_check") as SelfCheckSettings | undefined;
  if (settings === undefined) return { policies: NONE, variant };
  const named = typeof variant === "string" ? readOwn(settings.variants, variant) : undefined;
  if (named !== undefined) return { policies: (named as SelfCheckSettings)[side].policies, variant: undefined };
  return { policies: settings[side].policies, variant };
}
