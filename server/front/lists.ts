/** The lists of all models of a front, in the forms of OpenAI's, Anthropic's and Ollama's APIs. None is loaded for them. */
import { createHash } from "node:crypto";
import { stat } from "node:fs/promises";
import { resolve } from "node:path";
import type { FastifyInstance } from "fastify";
import { loadedOf, NO_DETAILS, OLLAMA_VERSION, tagOf, type ListedModel } from "../apis/ollama/entries.js";
import { unknownModel } from "../routes/models.js";
import type { Fronting } from "./fronting.js";

export function addLists(app: FastifyInstance, front: Fronting): void {
  const { models, names, modelOf, created } = front;
  const entryOf = (name: string): object => ({
    id: name,
    object: "model",
    // of Anthropic's form
    type: "model",
    display_name: name,
    created_at: new Date(1000 * created).toISOString(),
    created,
    owned_by: "ggsl",
    state: models.stateOf(modelOf.get(name)!),
  });
  const ids = { first_id: names[0], last_id: names.at(-1) };
  app.get("/v1/models", () => ({ object: "list", data: names.map(entryOf), has_more: false, ...ids }));
  app.get<{ Params: { "*": string } }>("/v1/models/*", ({ params: { "*": name } }) => {
    if (!modelOf.has(name)) throw unknownModel(names, name, "model");
    return entryOf(name);
  });

  app.get("/api/version", () => ({ version: OLLAMA_VERSION }));
  app.get("/api/tags", async () => {
    const files = new Map(
      (await Promise.all(models.names.map((name) => listed(front, name)))).map((one) => [one.name, one]),
    );
    return { models: names.map((name) => tagOf({ ...files.get(modelOf.get(name)!)!, name })) };
  });
  app.get("/api/ps", async () => ({
    models: await Promise.all(
      models.names
        .filter((name) => models.stateOf(name) === "loaded")
        .map(async (name) => loadedOf(await listed(front, name), models.factsOf(name)?.contextSize ?? 0)),
    ),
  }));
}

/** What is known of a model: of its file, and once it was loaded of the model itself. */
async function listed({ models, fileOf }: Fronting, name: string): Promise<ListedModel> {
  const file = fileOf(name);
  const { size, mtimeMs } = await stat(file).catch(() => ({ size: 0, mtimeMs: 0 }));
  return {
    name,
    size,
    modified: mtimeMs,
    digest: createHash("sha256")
      .update(JSON.stringify([resolve(file), size, mtimeMs]))
      .digest("hex"),
    details: models.factsOf(name)?.details ?? NO_DETAILS,
  };
}
