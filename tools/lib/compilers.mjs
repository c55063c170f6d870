/** The programs that a checkout is built with. JavaScript, as tools/run.mjs looks for them before any package is installed. */
import { spawnSync } from "node:child_process";

/** Debian's packages have the same names. */
const COMPILERS = ["g++", "cmake", "make", "git"];

/** The tools that begin with the set-up, or build C++ in another way. */
export const BUILDERS = [
  ...["setup", "demo", "test", "bless", "embed", "pack", "example-onnx"],
  ...["build-native", "build-c", "build-platforms", "check-c", "check-llama-server", "sanitize"],
  ...["bench", "grammars", "parity", "random", "speculation"],
];

/**
 * Names all that are missing, and the command that installs them.
 * @returns {string | undefined} undefined if none is
 */
export function compilersFault() {
  const missing = COMPILERS.filter((name) => spawnSync(name, ["--version"]).status !== 0);
  if (missing.length === 0) return undefined;
  return `setup: missing ${missing.join(", ")}. On Debian or Ubuntu, as root: apt-get install ${COMPILERS.join(" ")}`;
}
