import { flag, once, optional, section, text, texts } from "../fields.js";
import { perSource } from "./sources.js";

const source = () => ({
  patterns: optional(texts(), [], "Regular expressions; they run in linear time."),
  case_insensitive: optional(flag(), false, "Treat capital and small letters alike."),
  mask_token: optional(text(), "<REDACTED>", "What replaces a match."),
});

export const regexDetectionSchema = once(() => section(perSource(source), "Patterns of your own."));
