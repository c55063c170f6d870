/** What is made only again when what it is made of has changed. */
import { createHash } from "node:crypto";
import { existsSync, readFileSync, readdirSync, rmSync, statSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { root } from "./process.js";

/** Changes with the names and contents of these files, and of those in these folders that `isRead` takes; paths in the checkout. */
export function fingerprint(paths: readonly string[], isRead: (path: string) => boolean = () => true): string {
  const hash = createHash("sha256");
  const add = (path: string): void => {
    const full = join(root, path);
    if (statSync(full).isDirectory()) for (const name of readdirSync(full).sort()) add(join(path, name));
    else if (isRead(path)) hash.update(path).update(readFileSync(full));
  };
  paths.forEach(add);
  return hash.digest("hex");
}

export interface Made {
  /** Keeps the stamp of what was made last. */
  readonly stampFile: string;
  readonly stamp: string;
  /** All are there afterwards. */
  readonly outputs: readonly string[];
  /** Makes it in any case. */
  readonly force?: boolean;
}

/** Makes something by `action`, unless that was done before for the same stamp. Whether it was made now. */
export async function once(made: Made, action: () => Promise<void>): Promise<boolean> {
  const { stampFile, stamp, outputs, force = false } = made;
  const last = existsSync(stampFile) ? readFileSync(stampFile, "utf8") : undefined;
  if (!force && last === stamp && outputs.every((path) => existsSync(path))) return false;
  // until all of it is made
  rmSync(stampFile, { force: true });
  await action();
  writeFileSync(stampFile, stamp);
  return true;
}
