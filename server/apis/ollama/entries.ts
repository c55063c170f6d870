/** Models in the lists of Ollama's API. */
import type { Model } from "ggsl/models/model.js";

/** Clients ask for a least version of Ollama: that whose form this is. */
export const OLLAMA_VERSION = "0.13.0";

/** When a model that stays loaded is unloaded. */
const NEVER = "9999-12-31T23:59:59Z";

/** What is told of a model's file. */
export interface ListedModel {
  readonly name: string;
  /** In bytes. */
  readonly size: number;
  readonly digest: string;
  /** In milliseconds since 1970. */
  readonly modified: number;
  readonly details: ModelDetails;
}

export interface ModelDetails {
  readonly parent_model: string;
  readonly format: string;
  readonly family: string;
  readonly families: readonly string[];
  readonly parameter_size: string;
  readonly quantization_level: string;
}

/** Of `/api/tags`. */
export const tagOf = ({ name, size, digest, modified, details }: ListedModel): object => ({
  name,
  model: name,
  modified_at: new Date(modified).toISOString(),
  size,
  digest,
  details,
});

/** Of `/api/ps`. */
export const loadedOf = (model: ListedModel, contextSize: number): object => ({
  ...tagOf(model),
  expires_at: NEVER,
  size_vram: model.size,
  context_length: contextSize,
});

export function detailsOf({ info: { metadata, parameters, description } }: Pick<Model, "info">): ModelDetails {
  const family = metadata["general.architecture"] ?? "";
  return {
    parent_model: "",
    format: "gguf",
    family,
    families: [family],
    parameter_size: sizeText(parameters),
    // what llama.cpp says of a model ends with the type of its weights
    quantization_level: description.split(" ").at(-1) ?? "",
  };
}

/** Of a file that has not been loaded yet. */
export const NO_DETAILS: ModelDetails = {
  parent_model: "",
  format: "gguf",
  family: "",
  families: [],
  parameter_size: "",
  quantization_level: "",
};

const sizeText = (parameters: number): string =>
  parameters >= 1e9 ? `${(parameters / 1e9).toFixed(1)}B` : `${(parameters / 1e6).toFixed(2)}M`;
