/** `GET /api/tags`, `/api/ps`, `/api/version` and `POST /api/show`: the models, in Ollama's form. */
import { createHash } from "node:crypto";
import type { FastifyInstance } from "fastify";
import { findTemplate } from "ggsl/chat/template.js";
import { showForm } from "../apis/ollama/api.js";
import { detailsOf, loadedOf, OLLAMA_VERSION, tagOf, type ListedModel } from "../apis/ollama/entries.js";
import { ollamaErrors } from "../apis/ollama/errors.js";
import { missing } from "../refusal.js";
import type { Serving } from "../serving.js";
import { addFormPost } from "./exchange.js";
import { findModel, namesOf, unknownModel } from "./models.js";

export function addOllama(app: FastifyInstance, serving: Serving): void {
  const config = { errors: ollamaErrors };
  app.get("/api/version", { config }, () => ({ version: OLLAMA_VERSION }));
  app.get("/api/tags", { config }, () => ({ models: namesOf(serving).map((name) => tagOf(listed(serving, name))) }));
  app.get("/api/ps", { config }, () => {
    const { contextSize, name } = serving.engine;
    return { models: [loadedOf(listed(serving, name), contextSize)] };
  });
  addFormPost(app, serving, { form: showForm, errors: ollamaErrors }, (body) => {
    const name = (body["model"] ?? body["name"]) as string | undefined;
    if (name === undefined) throw missing("model", "the name of a model");
    const found = findModel(serving, name.replace(/:latest$/, ""));
    if (!found && !serving.isLenient) throw unknownModel(namesOf(serving), name, "model");
    return shown(serving);
  });
}

const listed = ({ engine: { model, created } }: Serving, name: string): ListedModel => ({
  name,
  size: model.info.bytes,
  digest: createHash("sha256").update(JSON.stringify(model.info.metadata)).digest("hex"),
  modified: 1000 * created,
  details: detailsOf(model),
});

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
