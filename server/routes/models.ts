/** The names by which requests choose the model, and with `NAME:SAMPLER` one of the server's samplers, and `GET /v1/models`. */
import type { FastifyInstance } from "fastify";
import { DEFAULT_NAME } from "../engine/choose.js";
import { Refusal } from "../refusal.js";
import type { Serving } from "../serving.js";

/** What the name of a model means. */
export interface ChosenModel {
  /** In the answer. */
  readonly name: string;
  /** The name of one of the server's samplers. */
  readonly sampler?: string;
}

type Named = Pick<Serving, "engine" | "samplers">;

/** Between a model's name and a sampler's, which has none. */
const MARK = ":";

/** Undefined for a name that is none of the server's. */
export function findModel({ engine: { name, names }, samplers }: Named, given = name): ChosenModel | undefined {
  if (names.includes(given)) return { name: given };
  const at = given.lastIndexOf(MARK);
  const sampler = samplers.named.find((one) => one.name === given.slice(at + 1))?.name;
  return at > 0 && sampler !== undefined && names.includes(given.slice(0, at)) ? { name: given, sampler } : undefined;
}

/** All names: those of the model, and with its first one those of samplers. */
export function namesOf({ engine: { name, names }, samplers }: Named): readonly string[] {
  const own = samplers.named.flatMap((sampler) =>
    sampler.name === DEFAULT_NAME ? [] : [`${name}${MARK}${sampler.name!}`],
  );
  return [...names, ...own];
}

export const unknownModel = (names: readonly string[], model: string, param?: string): Refusal =>
  new Refusal(
    "unknown_model",
    `the model \`${model}\` does not exist: this server has ${names.map((name) => `\`${name}\``).join(", ")}`,
    { ...(param !== undefined && { param }) },
  );

export function addModels(app: FastifyInstance, serving: Serving): void {
  const { engine, samplers, slots } = serving;
  const entryOf = ({ name, sampler }: ChosenModel): object => ({
    id: name,
    object: "model",
    // of Anthropic's form
    type: "model",
    display_name: name,
    created_at: new Date(1000 * engine.created).toISOString(),
    created: engine.created,
    owned_by: "ggsl",
    context_length: engine.contextSize,
    ...(sampler === undefined
      ? { samplers: samplers.named.map((one) => one.name), slots: Object.fromEntries(slots) }
      : { sampler }),
  });
  const data = namesOf(serving).map((name) => entryOf(findModel(serving, name)!));
  const ids = { first_id: engine.names[0], last_id: namesOf(serving).at(-1) };
  app.get("/v1/models", () => ({ object: "list", data, has_more: false, ...ids }));
  app.get<{ Params: { "*": string } }>("/v1/models/*", ({ params: { "*": name } }) => {
    const found = findModel(serving, name);
    if (!found) throw unknownModel(namesOf(serving), name);
    return entryOf(found);
  });
}
