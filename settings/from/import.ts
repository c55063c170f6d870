/** Imports settings of other tools as programs, for `ggsl import` and for calling programs. */
import { checkNames, type OptionNames } from "@ggsl/compiler/core/optionNames.js";
import { isGguf, readMetadata, type ByteSource } from "./ggufFile.js";
import { decidingKeys, detect, JSON_FORMATS, KINDS, type JsonFormat } from "./formats/index.js";
import { fromSamplingKeys } from "./formats/llamaGguf.js";
import { SAMPLING_KEYS } from "./formats/samplingKeys.js";
import { fromLlamaArgs } from "./formats/llamaArgs.js";
import { ENGINES, fromModelfile } from "./formats/ollama.js";
import { parseJson } from "./json.js";
import { checkLength } from "./length.js";
import type { ObjectNode, TextNode } from "./nodes.js";
import { ImportError, show } from "./notes.js";
import type { ImportOptions, Plan } from "./plan.js";
import { finish, type Imported } from "./program.js";
import { splitWords } from "./words.js";

export { describeNotes, ImportError, type Note } from "./notes.js";
export { KINDS } from "./formats/index.js";
export type { ByteSource } from "./ggufFile.js";
export type { ImportOptions } from "./plan.js";
export type { Imported } from "./program.js";
export { IMPORTED_CHAIN } from "./write.js";

const NAMES: OptionNames<ImportOptions> = { eos: true };

/** Imports a file of any format. `kind` is one of `KINDS`; without it the file's keys decide. Throws an `ImportError`. */
export function importFile(
  file: ByteSource,
  name: string,
  kind: string | undefined,
  options: ImportOptions = {},
): Imported {
  checkNames(options, NAMES);
  if (kind !== undefined && !KINDS.includes(kind))
    throw new ImportError(`expected one of ${KINDS.join(", ")}, found ${show(kind)}`);
  const start = file.read(0, Math.min(4, file.size));
  const isModel = isGguf(start);
  if (kind === "gguf" || (isModel && (kind === undefined || kind === "llama.cpp")))
    return finish(fromSamplingKeys(readMetadata(file, name, SAMPLING_KEYS), options), name);
  if (isModel) throw new ImportError(`${name}: expected settings of ${kind}, found a GGUF file`);
  checkLength({ length: file.size }, name);
  return finish(planOf(decode(file, name), name, kind, options), name);
}

/** Imports the words of a llama.cpp command line. */
export function importWords(given: readonly string[], options: ImportOptions = {}): Imported {
  checkNames(options, NAMES);
  checkLength({ length: given.reduce((sum, word) => sum + word.length + 1, 0) }, "the command line");
  const words = given.map((value, i): TextNode => ({ kind: "word", value, place: `word ${i + 1}` }));
  return finish(fromLlamaArgs(words, options), "a command line");
}

function decode(file: ByteSource, name: string): string {
  try {
    return new TextDecoder("utf-8", { fatal: true }).decode(file.read(0, file.size));
  } catch {
    throw new ImportError(`${name}: expected a text in UTF-8 or a GGUF file, found other bytes`);
  }
}

function planOf(text: string, name: string, kind: string | undefined, options: ImportOptions): Plan {
  if (/^\s*[{[]/.test(text)) return jsonPlan(text, name, kind, options);
  const engine = kind === undefined ? undefined : ENGINES[kind];
  if (engine !== undefined) return fromModelfile(text, name, engine);
  if (kind === "llama.cpp") return fromLlamaArgs(splitWords(text, name), options);
  if (kind !== undefined) return jsonPlan(text, name, kind, options);
  if (/^\s*(?:FROM|PARAMETER)\s/im.test(text)) return fromModelfile(text, name, "server");
  if (/(?:^|\s)--?[a-z]/.test(text)) return fromLlamaArgs(splitWords(text, name), options);
  throw new ImportError(
    `${name}: expected JSON, a Modelfile, a llama.cpp command line or a GGUF file; say which one it is with --from (${KINDS.join(", ")})`,
  );
}

function jsonPlan(text: string, name: string, kind: string | undefined, options: ImportOptions): Plan {
  const root = parseJson(text, name);
  if (root.kind !== "object") throw new ImportError(`${root.place}: expected an object of settings`);
  return formatOf(root, name, kind).read(root, options);
}

function formatOf(root: ObjectNode, name: string, kind: string | undefined): JsonFormat {
  if (kind !== undefined) return JSON_FORMATS.find((f) => f.name === kind)!;
  const { found, foreign } = detect(root);
  if (foreign) {
    const keys = foreign.keys.slice(0, MAX_SHOWN).map(show).join(", ");
    throw new ImportError(
      `${name}: ${keys} ${foreign.keys.length === 1 ? "is" : "are"} known from ${foreign.tool}, whose settings are not imported; ` +
        `if they are another tool's, name it with --from (${KINDS.join(", ")})`,
    );
  }
  if (found.length === 1) return found[0]!;
  if (found.length === 0)
    throw new ImportError(
      `${name}: no key identifies the tool that these settings belong to; name it with --from, one of ${KINDS.join(", ")}`,
    );
  const deciding = found.flatMap((format) => {
    const keys = decidingKeys(format, found).slice(0, MAX_SHOWN);
    return keys.length > 0 ? [`${keys.map(show).join(", ")} (${format.name})`] : [];
  });
  throw new ImportError(
    `${name}: several tools have such settings; name it with --from, one of ${found.map((f) => f.name).join(", ")}; ` +
      `keys that would decide: ${deciding.join(", ")}`,
  );
}

/** The most keys that a message shows of each tool. */
const MAX_SHOWN = 3;
