import type { Reply } from "./reply.js";
import type { Question, ServiceVerdict } from "./service-code.js";

/** Types of entities to find, by stage; an empty list means all types. */
export interface EntitySettings {
  readonly input: { readonly entities: readonly string[] };
  readonly output: { readonly entities: readonly string[] };
  readonly retrieval: { readonly entities: readonly string[] };
}

/** Entity that a service found in a text. */
interface FoundEntity {
  /** Type as the service spells it. */
  readonly name: string;
  /** Start, and end (exclusive), in code points, as services in Python count. */
  readonly start: number;
  readonly end: number;
}

/**
 * Reads an entity from the response of a service.
 *
 * @param text - the text that was sent
 * @throws ReplyError if the range is outside of the text or does not contain the value
 */
export function readEntity(
  entity: Reply,
  text: readonly string[],
  names: { readonly type: string; readonly start: string; readonly end: string; readonly value?: string },
): FoundEntity {
  const name = entity.at(names.type).text();
  const [start, end] = [entity.at(names.start), entity.at(names.end)];
  const [from, to] = [start.number(), end.number()];
  if (!Number.isInteger(from) || from < 0) return start.fail("a place in the text");
  if (!Number.isInteger(to) || to <= from || to > text.length) return end.fail("a place in the text behind the first");
  const value = names.value === undefined ? undefined : entity.at(names.value).optional;
  if (value !== undefined && value.text() !== text.slice(from, to).join("")) return value.fail("the text at its place");
  return { name, start: from, end: to };
}

/** Returns the types of entities in the settings for the stage of a question. */
export function wantedEntities({ source, settings }: Pick<Question<EntitySettings>, "source" | "settings">) {
  return settings[source === "output" || source === "retrieval" ? source : "input"].entities;
}

/**
 * Returns the verdict on a text, and the text with its entities replaced.
 *
 * @param find - receives the code points of the text, and the types to find
 */
export function entityVerdict(
  question: Question<EntitySettings>,
  find: (text: readonly string[], wanted: readonly string[]) => readonly FoundEntity[],
  mark: (type: string) => string = (type) => `<${type}>`,
): ServiceVerdict {
  const text = [...question.text];
  const entities = find(text, wantedEntities(question));
  const blocked = entities.length > 0;
  return {
    blocked,
    text: maskEntities(text, entities, mark),
    categories: entities.map(({ name }) => shownType(name)),
    reason: blocked ? "found personal data" : "found nothing",
  };
}

/** Returns the type for decisions and marks. INVARIANT: text of a service never becomes part of a message. */
function shownType(name: string): string {
  return name.replaceAll(/[^\p{L}\p{N}]/gu, "_").slice(0, 50);
}

/** Returns the text with the entities replaced; overlapping entities become one, with the type of the first. */
function maskEntities(
  text: readonly string[],
  entities: readonly FoundEntity[],
  mark: (type: string) => string,
): string {
  const sorted = [...entities].sort((a, b) => a.start - b.start || b.end - a.end);
  const parts: string[] = [];
  let done = 0;
  for (const { name, start, end } of sorted) {
    if (start >= done) parts.push(text.slice(done, start).join(""), mark(shownType(name)));
    done = Math.max(done, end);
  }
  return [...parts, text.slice(done).join("")].join("");
}
