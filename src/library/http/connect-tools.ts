import { processEnvironment, variable } from "../../config/environment.js";
import type { PrepareTools, RailFlowStage } from "../rail-manifest.js";

/** Readers of keys and addresses for `connect`. INVARIANT: a problem never contains a key, or an address, which may contain one. */
export class ConnectTools {
  readonly report: PrepareTools["report"];
  /** Flows of the rail that the configuration lists. */
  readonly listed: PrepareTools["listed"];
  readonly #section: string;
  readonly #title: string;

  constructor({ report, listed, section }: Pick<PrepareTools, "report" | "listed" | "section">, title: string) {
    this.report = report;
    this.listed = listed;
    this.#section = section;
    this.#title = title;
  }

  /** Returns true if the configuration lists a flow of the rail in this stage. */
  reads(stage: RailFlowStage): boolean {
    return this.listed.some((flow) => flow.stage === stage);
  }

  /** Returns true if the configuration lists this flow. */
  lists(name: string): boolean {
    return this.listed.some((flow) => flow.name === name);
  }

  /** Returns the value of an environment variable; undefined if it is not set. */
  variable(name: string): string | undefined {
    return variable(processEnvironment(), name);
  }

  /** Returns the key in an environment variable. Reports a key that is missing or not valid in a header. */
  key(name: string, path: readonly (string | number)[] = []): string {
    const value = this.keyIfSet(name, path);
    if (value !== undefined) return value;
    const message = `the environment variable \`${name}\` with the key for ${this.#title} is not set`;
    this.report({ code: "CF-113", path, message, hint: `set \`${name}\`, or take the rail off the list` });
    return "";
  }

  /** Returns the key in the environment variable that a setting names. */
  namedKey(name: string | null, path: readonly (string | number)[]): string {
    if (name !== null) return this.key(name, path);
    const hint = "set it to the name of the environment variable that holds the key";
    this.#reportMissing("key for", path, hint);
    return "";
  }

  #reportMissing(what: "key for" | "address of", path: readonly (string | number)[], hint: string): void {
    const setting = path.length === 0 ? "" : `: \`rails.config.${[this.#section, ...path].join(".")}\` is not set`;
    this.report({ code: "CF-105", path, message: `the rail has no ${what} ${this.#title}${setting}`, hint });
  }

  /** Returns the key in an environment variable; undefined if it is not set, for services that may run without a key. */
  keyIfSet(name: string, path: readonly (string | number)[] = []): string | undefined {
    const value = this.variable(name)?.trim();
    return value ? this.sendable(value, `the environment variable \`${name}\``, path) : undefined;
  }

  /** Returns a value for a header. */
  sendable(value: string, place: string, path: readonly (string | number)[] = []): string {
    if (/^[\x20-\x7e]*$/.test(value)) return value;
    const hint = "a key has printable letters of ASCII alone; look for a line break or a quotation mark in it";
    this.report({ path, message: `${place} holds characters that a header cannot have`, hint });
    return "";
  }

  /** Returns the address of a service without a trailing slash. Reports an address that is missing or not valid. */
  address(value: string | null | undefined, path: readonly (string | number)[], hint: string): string {
    if (value === undefined || value === null || value.trim() === "") {
      this.#reportMissing("address of", path, hint);
      return "";
    }
    const url = URL.canParse(value) ? new URL(value) : undefined;
    const isUsable = url !== undefined && /^https?:$/.test(url.protocol) && url.username === "" && url.password === "";
    if (!isUsable) {
      const message = `the address of ${this.#title} is not an \`http\` or \`https\` address without a password`;
      this.report({ path, message, hint });
      return "";
    }
    return value.trim().replace(/\/{1,8}$/, "");
  }
}
