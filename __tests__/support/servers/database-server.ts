import { describe } from "@jest/globals";

/** A database server of a test, on the loopback interface. */
export interface DatabaseServer {
  readonly url: string;
  readonly port: number;
  /** Ends the server and keeps its data, for `comeBack`. */
  goDown(): Promise<void>;
  /** Starts the server again, on its port and with its data. */
  comeBack(): Promise<void>;
  /** Ends the server and deletes its data. */
  stop(): Promise<void>;
}

/** Makes a missing database a failure, as on CI systems that require it. */
const REQUIRED = process.env["LANGCHAIN_GUARDRAILS_REQUIRE_DATABASES"] === "1" || process.env["CI"] === "true";

/** Declares tests that need a database, a proxy or a browser. They are skipped with a warning on a machine without it. */
export function describeWith(database: string, isThere: boolean, declare: () => void): void {
  if (isThere || REQUIRED) {
    describe(database, declare);
    return;
  }
  const line = "!".repeat(80);
  process.stderr.write(`${line}\nSKIPPED: the tests of ${database}, which this machine does not have\n${line}\n`);
  describe.skip(database, declare);
}
