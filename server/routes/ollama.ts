/** `GET /api/tags`, `/api/ps`, `/api/version` and `POST /api/show`: the models, in Ollama's form. */
import { createHash } from "node:crypto";
import type { FastifyInstance } from "fastify";
import { findTemplate } from "ggsl/chat/template.js";
import { showForm } from "../apis/ollama/api.js";
import { ollamaErrors } from "../apis/ollama/errors.js";
import { missing } from "../refusal.js";
import type { Serving } from "../serving.js";
import { addFormPost } from "./exchange.js";
import { findModel, namesOf, unknownModel } from "./models.js";

/** Clients ask for a least version of Ollama: that whose form this is. */
const VERSION = "0.13.0";

/** When a model that stays loaded is unloaded. */
const NEVER = "9999-12-31T23:59:59Z";

export function addOllama(app: FastifyInstance, serving: Serving): void {
  const config = { errors: ollamaErrors };
  app.get("/api/version", { config }, () => ({ version: VERSION }));
  app.get("/api/tags", { config }, () => ({ models: namesOf(serving).map((name) => entryOf(serving, name)) }));
  app.get("/api/ps", { config }, () => {
    const { bytes } = serving.engine.model.info;
    const { contextSize: context_length, name } = serving.engine;
    const more = { expires_at: NEVER, size_vram: bytes, context_length };
    return { models: [{ ...entryOf(serving, name), ...more }] };
  });
  addFormPost(app, serving, { form: showForm, errors: ollamaErrors }, (body) => {
    const name = (body["model"] ?? body["name"]) as string | undefined;
    if (name === undefined) throw missing("model", "the name of a model");
    const found = findModel(serving, name.replace(/:latest$/, ""));
    if (!found && !serving.isLenient) throw unknownModel(namesOf(serving), name, "model");
    return shown(serving);
  });
}

function entryOf({ engine }: Serving, name: string): object {
  const { metadata, bytes } = engine.model.info;
  return {
    name,
    model: name,
    modified_at: new Date(1000 * engine.created).toISOString(),
    size: bytes,
    digest: createHash("sha256").update(JSON.stringify(metadata)).digest("hex"),
    details: detailsOf(engine.model),
  };
}

function detailsOf({ info: { metadata, parameters, description } }: Serving["engine"]["model"]): object {
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

const sizeText = (parameters: number): string =>
  parameters >= 1e9 ? `${(parameters / 1e9).toFixed(1)}B` : `${(parameters / 1e6).toFixed(2)}M`;

async function shown({ engine }: Serving): Promise<object> {
  const { model, template, created } = engine;
  const { metadata } = model.info;
  const form = await engine.forms.calls().catch(() => undefined);
  const { form: thoughts } = await engine.forms.thinking().catch(() => ({ form: undefined }));
  return {
    license: metadata["general.license"] ?? "",
    modelfile: "",
    parameters: "",
    template: templateOf(metadata, template),
    details: detailsOf(model),
    model_info: Object.fromEntries(Object.entries(metadata).map(([key, value]) => [key, plain(value)])),
    capabilities: ["completion", ...(form ? ["tools"] : []), ...(thoughts ? ["thinking"] : [])],
    modified_at: new Date(1000 * created).toISOString(),
  };
}

/** Empty for a model without one. */
function templateOf(metadata: Readonly<Record<string, string>>, given: string | undefined): string {
  try {
    return findTemplate(metadata, given, false);
  } catch {
    return "";
  }
}

/** Numbers are numbers, as in the file. */
const plain = (value: string): string | number => (/^-?\d{1,15}(?:\.\d+)?$/.test(value) ? Number(value) : value);
