import type { SettingProblem } from "../rail-manifest.js";

/** Settings of a connection over TLS; files are named by their paths. */
export interface Certificates {
  readonly verify_ssl: boolean;
  readonly ca_cert: string | null;
  readonly client_cert: string | null;
  readonly client_key: string | null;
}

/**
 * Returns a dispatcher of undici with the certificates of the settings; undefined if they ask for nothing but the platform's.
 * Files that cannot be read are reported.
 */
export async function certificateDispatcher(
  { verify_ssl: isVerified, ca_cert: ca, client_cert: cert, client_key: key }: Certificates,
  report: (problem: SettingProblem) => void,
): Promise<unknown> {
  if (isVerified && ca === null && cert === null && key === null) return undefined;
  if ((cert === null) !== (key === null)) {
    const [given, missing] = cert === null ? ["client_key", "client_cert"] : ["client_cert", "client_key"];
    report({ path: [given], message: `\`${given}\` is set without \`${missing}\``, hint: "set both" });
  }
  const { readFile } = await import("node:fs/promises");
  const read = async (path: string | null, name: string): Promise<string | undefined> => {
    try {
      return path === null ? undefined : await readFile(path, "utf8");
    } catch {
      report({ path: [name], message: `the file of \`${name}\` cannot be read` });
      return undefined;
    }
  };
  const connect = {
    rejectUnauthorized: isVerified,
    ca: await read(ca, "ca_cert"),
    cert: await read(cert, "client_cert"),
    key: await read(key, "client_key"),
  };
  const { Agent } = await import("undici");
  return new Agent({ connect });
}
