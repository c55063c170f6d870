/** The vocabulary that the command line names: `--vocab FILE`. */
import { InputError } from "ggsl/core/errors.js";
import type { GivenVocabulary } from "ggsl/core/vocabulary.js";
import { loadVocabulary } from "ggsl/models/model.js";
import { MAX_BYTES, noteRead, readJson } from "./files.js";

/** From a model's file, or from a JSON list of texts; `-` is such a list on standard input. */
export async function readVocabulary(file: string | undefined): Promise<GivenVocabulary | undefined> {
  if (file === undefined) return undefined;
  if (file === "-" || file.endsWith(".json")) return textsIn(file);
  noteRead(file);
  return await loadVocabulary(file);
}

function textsIn(file: string): readonly string[] {
  const data = readJson(file, MAX_BYTES.numbers);
  if (!Array.isArray(data) || data.some((text) => typeof text !== "string"))
    throw new InputError(
      `"${file}" is not a vocabulary: expected a JSON list of the texts of all tokens, or a GGUF file`,
      { code: "INVALID_FILE" },
    );
  return data as string[];
}
