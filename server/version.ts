/** Versions of files. */
import { statSync } from "node:fs";

/** Changes with the content of a file, and when another takes its place. Throws what the system says of one that is not there. */
export function versionOf(file: string): string {
  const { dev, ino, size, mtimeNs, ctimeNs } = statSync(file, { bigint: true });
  return [dev, ino, size, mtimeNs, ctimeNs].join(" ");
}
