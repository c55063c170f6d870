/** Installed packages whose samplers the programs of requests can import. */
import { formatDiagnostics } from "@ggsl/compiler/check/format.js";
import { realPath, UnreadableFile } from "@ggsl/compiler/disk.js";
import { libraryImporter } from "@ggsl/compiler/diskImporter.js";
import { isError } from "@ggsl/compiler/diagnostics/diagnostic.js";
import { foundFile } from "@ggsl/compiler/check/program.js";
import { checkProgram } from "@ggsl/compiler/driver.js";
import { findPackage, type Package } from "@ggsl/compiler/packages.js";
import { packagePath } from "@ggsl/compiler/source/importer.js";
import { InputError, invalid } from "ggsl/core/errors.js";
import { disk } from "../disk.js";
import { requestLimits } from "./facts.js";

/**
 * The packages of these names, found from the current folder. Throws `InputError` for one that is not installed or has no samplers, and for
 * one with errors, also those of the limits of requests.
 */
export function openLibraries(names: readonly string[], vocabSize: number): readonly Package[] {
  const libraries = names.map(open);
  const limits = requestLimits({ libraries, limits: {}, vocabSize });
  for (const { name } of libraries) {
    const importer = libraryImporter(disk, libraries);
    const found = importer(name, "sampler");
    const source = foundFile(found);
    if (!source) throw unusable(name, found && "refused" in found ? found.refused : "it cannot be read");
    const errors = checkProgram(source, { importer, limits }).filter(isError);
    if (errors.length > 0) throw unusable(name, formatDiagnostics(errors).trimEnd());
  }
  return libraries;
}

const unusable = (name: string, why: string): InputError =>
  new InputError(`the library "${name}" cannot be used: ${why}`, { code: "INVALID_FILE" });

function open(name: string): Package {
  if (packagePath(name)?.subpath !== ".")
    throw invalid(`a library is the name of a package, such as @someone/samplers, found ${JSON.stringify(name)}`);
  const found = attempt(name, () => findPackage(disk, name, realPath(disk, ".")));
  if (found) return found;
  throw new InputError(`the library "${name}" is not installed: npm install ${name}`, { code: "MISSING_PACKAGE" });
}

function attempt<T>(name: string, call: () => T): T {
  try {
    return call();
  } catch (error) {
    if (!(error instanceof UnreadableFile)) throw error;
    throw new InputError(`the library "${name}" cannot be read: ${error.reason}`, { code: "UNREADABLE_FILE" });
  }
}
