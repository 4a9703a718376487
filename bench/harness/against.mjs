// A build of another commit in a temporary working tree.
import { execFileSync } from "node:child_process";
import { mkdtempSync, rmSync, symlinkSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { HERE } from "./library.mjs";

const git = (...args) => execFileSync("git", args, { cwd: HERE, encoding: "utf8" }).trim();

/** The commit of a working copy, with a mark when files have changed since; undefined outside of git. */
export function commitOf(root) {
  try {
    const options = { cwd: root, encoding: "utf8", stdio: ["ignore", "pipe", "ignore"] };
    const commit = execFileSync("git", ["rev-parse", "--short", "HEAD"], options).trim();
    const changed = execFileSync("git", ["status", "--porcelain", "--", "src"], options).trim();
    return changed === "" ? commit : `${commit}, changed`;
  } catch {
    return undefined;
  }
}

/** Builds a commit with the installed modules of this working copy. The working tree is removed when the process exits. */
export function buildAt(ref) {
  const commit = git("rev-parse", "--short", `${ref}^{commit}`);
  const folder = mkdtempSync(join(tmpdir(), "bench-"));
  const root = join(folder, "tree");
  process.once("exit", () => {
    rmSync(folder, { recursive: true, force: true });
    git("worktree", "prune");
  });
  for (const signal of ["SIGINT", "SIGTERM"]) process.once(signal, () => process.exit(130));
  git("worktree", "add", "--detach", "--quiet", root, commit);
  symlinkSync(join(HERE, "node_modules"), join(root, "node_modules"), "dir");
  process.stderr.write(`building ${commit} …\n`);
  execFileSync("npm", ["run", "--silent", "build"], { cwd: root, stdio: ["ignore", "ignore", "inherit"] });
  return { ref, commit, root };
}
