import { isDiscordToken } from "../checksums.js";
import type { KeyFormat } from "../key-format.js";

/** Keys of chat, mail and telephone services. */
export const MESSAGING: readonly KeyFormat[] = [
  {
    name: "slack-token",
    triggers: ["xoxb-", "xoxp-", "xoxa-", "xoxr-", "xoxs-", "xoxo-", "xoxe-", "xoxc-", "xoxd-"],
    pattern: "xox[abcdeoprs]-(?:(?:\\d{1,14}-){1,4}[0-9A-Za-z-]{16,200}|[0-9A-Za-z%-]{20,250})",
    reach: 280,
  },
  { name: "slack-configuration-token", pattern: "xoxe\\.xox[bp]-\\d-[0-9A-Za-z]{140,200}" },
  { name: "slack-app-token", pattern: "xapp-\\d-[0-9A-Z]{8,14}-\\d{8,16}-[0-9a-f]{60,68}" },
  {
    name: "slack-webhook",

    pattern: "hooks\\.slack\\.com/(?:services|workflows|triggers)/[0-9A-Za-z+/]{40,60}",
  },
  {
    name: "discord-webhook",
    triggers: ["discord.com/api/webhooks/", "discordapp.com/api/webhooks/"],
    pattern: "discord(?:app)?\\.com/api/webhooks/\\d{17,20}/[0-9A-Za-z_-]{60,72}",
  },
  {
    name: "teams-webhook",

    pattern: "\\.webhook\\.office\\.com/webhookb2/[0-9a-f@-]{73}/IncomingWebhook/[0-9a-f]{32}/[0-9a-f-]{36}",
  },
  { name: "telegram-bot-token", triggers: [":aa"], before: 10, pattern: "\\d{10}:AA[0-9A-Za-z_-]{33}" },
  { name: "telegram-bot-token-of-nine", triggers: [":aa"], before: 9, pattern: "\\d{9}:AA[0-9A-Za-z_-]{33}" },
  { name: "telegram-bot-token-of-eight", triggers: [":aa"], before: 8, pattern: "\\d{8}:AA[0-9A-Za-z_-]{33}" },
  { name: "sendgrid-key", pattern: "SG\\.[0-9A-Za-z_-]{22}\\.[0-9A-Za-z_-]{43}" },
  { name: "twilio-key", pattern: "SK[0-9a-f]{32}" },
  { name: "mailgun-key", pattern: "key-[0-9a-f]{32}" },
  { name: "mailchimp-key", triggers: ["-us"], before: 32, pattern: "[0-9a-f]{32}-us\\d{1,2}" },
  { name: "mandrill-key", pattern: "md-[0-9A-Za-z_-]{22}" },
  { name: "brevo-key", triggers: ["xkeysib-", "xsmtpsib-"], pattern: "x(?:key|smtp)sib-[0-9a-f]{64}-[0-9A-Za-z]{16}" },
  { name: "mailersend-token", pattern: "mlsn\\.[0-9a-f]{64}" },
  { name: "resend-key", pattern: "re_[0-9A-Za-z]{8}_[0-9A-Za-z]{24}" },
  {
    name: "instagram-token",
    triggers: ["igqv", "igqw", "igaa"],
    pattern: "IG(?:QV|QW|AA)[0-9A-Za-z_-]{80,300}",
    reach: 310,
  },
  {
    name: "twitter-bearer-token",
    triggers: ["aaaaaaaaaaaaaaaaaaaa"],
    fixed: 20,
    pattern: "A{20,22}[0-9A-Za-z%]{60,110}",
  },
  { name: "facebook-token", pattern: "EAA[0-9A-Za-z]{80,300}", reach: 310 },
];

/** A token of a Discord bot has no fixed part: its dots stand seven characters apart, and its first part encodes an id. */
export const DISCORD_BOT_TOKENS: readonly KeyFormat[] = [23, 24, 26, 27].map((length) => ({
  name: `discord-bot-token-${length}`,
  triggers: ["."],
  before: length,
  pattern: `[MNO][0-9A-Za-z_-]{${length - 1}}\\.[0-9A-Za-z_-]{6}\\.[0-9A-Za-z_-]{27,40}`,
  isValid: isDiscordToken,
}));
