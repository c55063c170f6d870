/** Builds outputs again only if their inputs have changed. */
import { createHash } from "node:crypto";
import { existsSync, readFileSync, readdirSync, rmSync, statSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { root } from "./process.js";

/** A hash of the names and contents of these files, and of the files in these folders for which `isRead` holds; paths in the checkout. */
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

interface Made {
  /** Contains the stamp of the latest build. */
  readonly stampFile: string;
  readonly stamp: string;
  /** The files that exist afterwards. */
  readonly outputs: readonly string[];
  /** Builds even if the stamp is unchanged. */
  readonly force?: boolean;
}

/** Runs `action`, unless it already ran for the same stamp. Returns whether it ran. */
export async function once(made: Made, action: () => Promise<void>): Promise<boolean> {
  const { stampFile, stamp, outputs, force = false } = made;
  const last = existsSync(stampFile) ? readFileSync(stampFile, "utf8") : undefined;
  if (!force && last === stamp && outputs.every((path) => existsSync(path))) return false;
  // so that an interrupted build has no stamp
  rmSync(stampFile, { force: true });
  await action();
  writeFileSync(stampFile, stamp);
  return true;
}
