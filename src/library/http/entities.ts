import type { Reply } from "./reply.js";
import type { Question, ServiceVerdict } from "./service-code.js";

/** Kinds of entities to look for, by stage; all if there are none. */
export interface EntitySettings {
  readonly input: { readonly entities: readonly string[] };
  readonly output: { readonly entities: readonly string[] };
  readonly retrieval: { readonly entities: readonly string[] };
}

/** Something that a service found in a text. */
interface FoundEntity {
  /** As the service names it. */
  readonly name: string;
  /** First and last place plus one, counted in code points, as services in Python do. */
  readonly start: number;
  readonly end: number;
}

/**
 * Reads an entity that a service found, with the names that it has for the fields.
 *
 * @param text - the text that was sent
 * @throws ReplyError for a place outside of the text, and for a value that does not stand there
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

/** Returns the kinds of entities that the settings name for the stage of a question. */
export function wantedEntities({ source, settings }: Pick<Question<EntitySettings>, "source" | "settings">) {
  return settings[source === "output" || source === "retrieval" ? source : "input"].entities;
}

/**
 * Returns the verdict on a text in which a service found entities; its text has the entities replaced.
 *
 * @param find - receives the text as code points, and the kinds to look for
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

/** A type for decisions and marks. INVARIANT: a service puts no text of its own into a message. */
function shownType(name: string): string {
  return name.replaceAll(/[^\p{L}\p{N}]/gu, "_").slice(0, 50);
}

/** The text with the entities replaced; entities that overlap become one, under the type of the first. */
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
