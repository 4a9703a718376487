import { parse } from "tldts";
import { optionError, type OptionPlace } from "../option-values.js";

/** Names of hosts; each stands for itself and for the names below it. */
export interface DomainList {
  readonly names: readonly string[];
  has(host: string): boolean;
}

/**
 * Returns the list of the names that an option gives: `example.org`, `*.example.org` or a URL's host.
 *
 * @throws ConfigError for what is not the name of a host, and for an empty list
 */
export function domainListOf(place: OptionPlace, given: readonly string[] | undefined): DomainList | undefined {
  if (given === undefined) return undefined;
  if (given.length === 0) throw optionError(place, "expected at least one domain, got an empty list", "leave it out");
  const names = new Set(given.map((name) => nameOf(place, name)));
  return {
    names: [...names],
    has(host) {
      for (let rest = host, turn = 0; rest !== "" && turn < 32; turn++) {
        if (names.has(rest)) return true;
        const dot = rest.indexOf(".");
        rest = dot === -1 ? "" : rest.slice(dot + 1);
      }
      return false;
    },
  };
}

function nameOf(place: OptionPlace, given: string): string {
  const name = given.trim().toLowerCase().replace(/^\*\./, "").replace(/\.$/, "");
  const isHost = name !== "" && !/[\s/@?#\\:]/.test(name.replace(/^\[.*\]$/, "")) && URL.canParse(`https://${name}/`);
  if (isHost) return new URL(`https://${name}/`).hostname;
  const host = parse(given).hostname;
  const hint = host === null || host === "" ? "write the name of a host, such as `example.org`" : `write \`${host}\``;
  throw optionError(place, `\`${given.slice(0, 80)}\` is not the name of a host`, hint);
}
