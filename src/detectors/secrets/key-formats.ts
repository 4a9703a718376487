import { BUSINESS } from "./formats/business.js";
import { CLOUDS } from "./formats/clouds.js";
import { CODE_HOSTS } from "./formats/code-hosts.js";
import { DISCORD_BOT_TOKENS, MESSAGING } from "./formats/messaging.js";
import { MODELS } from "./formats/models.js";
import type { KeyFormat } from "./key-format.js";

/** Formats of keys with a fixed part. */
export const KEY_FORMATS: readonly KeyFormat[] = [
  ...CODE_HOSTS,
  ...CLOUDS,
  ...MODELS,
  ...MESSAGING,
  ...DISCORD_BOT_TOKENS,
  ...BUSINESS,
];
