import { readFile, rename, rm, writeFile } from "node:fs/promises";
import { UsageError } from "../command-line.js";

interface SessionFile {
  readonly version: 1;
  readonly dialect: string;
  readonly state: unknown;
}

/**
 * Reads the state of an earlier chat; undefined if the file does not exist.
 *
 * @throws UsageError for a file that contains no chat of this dialect, or that cannot be written after a turn
 */
export async function readSession(path: string, dialect: string): Promise<unknown> {
  try {
    await writeFile(draftOf(path), "", PRIVATE);
    await rm(draftOf(path));
  } catch (error) {
    throw new UsageError(`the session \`${path}\` cannot be written: ${(error as Error).message}`);
  }
  let text: string;
  try {
    text = await readFile(path, "utf8");
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === "ENOENT") return undefined;
    throw new UsageError(`the session \`${path}\` cannot be read: ${(error as Error).message}`);
  }
  const session = parseSession(text);
  if (session === undefined) throw new UsageError(`\`${path}\` is not a session of this command`);
  if (session.dialect !== dialect) {
    throw new UsageError(
      `\`${path}\` is a session in Colang ${session.dialect}, and the configuration is in ${dialect}`,
    );
  }
  return session.state;
}

function parseSession(text: string): SessionFile | undefined {
  try {
    const value = JSON.parse(text) as Partial<SessionFile> | null;
    const isSession = value?.version === 1 && typeof value.dialect === "string" && value.state !== undefined;
    return isSession ? (value as SessionFile) : undefined;
  } catch {
    return undefined;
  }
}

/** Writes the state of a chat. Only the owner can read the file, and it is replaced atomically. */
export async function writeSession(path: string, dialect: string, state: unknown): Promise<void> {
  const session: SessionFile = { version: 1, dialect, state };
  const draft = draftOf(path);
  await writeFile(draft, `${JSON.stringify(session)}\n`, PRIVATE);
  await rename(draft, path);
}

const PRIVATE = { mode: 0o600 };

function draftOf(path: string): string {
  return `${path}.${process.pid}.tmp`;
}
