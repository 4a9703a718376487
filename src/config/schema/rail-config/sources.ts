import { type z } from "zod/v4";

import { optional, section, text, texts } from "../fields.js";

/** The same settings for text that comes in, text that goes out and text that was retrieved. */
export function perSource<S extends z.ZodRawShape>(settings: () => S) {
  return {
    input: section(settings(), "For what the user says."),
    output: section(settings(), "For what the bot says."),
    retrieval: section(settings(), "For retrieved text."),
  };
}

export const entities = () => ({ entities: optional(texts(), [], "The kinds of entities to look for.") });

export const endpoint = (fallback: string | null = null) => optional(text(), fallback, "The address of the service.");

export const keyVariable = () => optional(text(), null, "The environment variable that holds the key.");
