/** `POST /apply-template` and `GET /props`, in the form of llama-server: prompts of conversations, and what requests begin with. */
import type { FastifyInstance } from "fastify";
import { findTemplate } from "ggsl/chat/template.js";
import type { Model } from "ggsl/models/model.js";
import { DEFAULT_NAME } from "../engine/choose.js";
import { promptTextOf } from "../engine/plan.js";
import { laneOf } from "../lanes/lane.js";
import type { TemplateBody } from "../request/bodies.js";
import { RANDOM_SEED } from "../request/fields.js";
import type { Serving } from "../serving.js";
import { addPost, answered, chooseModel } from "./exchange.js";

export function addTemplate(app: FastifyInstance, serving: Serving): void {
  addPost(app, serving, "template", (request, reply) => {
    const body = request.body as TemplateBody;
    chooseModel(serving, reply, body.model);
    return answered(serving, reply, async (signal) =>
      reply.send({ prompt: await promptTextOf(serving.engine, body, { lane: laneOf(request), signal }) }),
    );
  });
  app.get("/props", () => propsOf(serving));
}

function propsOf(serving: Serving): object {
  const { engine } = serving;
  const { model, contextSize, sequences, name, file } = engine;
  const { bos, eos } = model.info;
  const textOf = (token: number): string => (token < 0 ? "" : model.textOf(token));
  return {
    default_generation_settings: { n_ctx: contextSize, params: paramsOf(serving) },
    total_slots: sequences,
    model_alias: name,
    model_path: file,
    modalities: { vision: false, video: false, audio: false },
    endpoint_slots: false,
    endpoint_props: false,
    endpoint_metrics: true,
    ...templatesOf(model, engine.template),
    bos_token: textOf(bos),
    eos_token: textOf(eos),
    build_info: "ggsl serve",
    is_sleeping: false,
  };
}

/** The template, empty for a model without one, and the one for conversations with tools, where it is another. */
function templatesOf({ info: { metadata } }: Model, given: string | undefined): object {
  const found = (hasTools: boolean): string => {
    try {
      return findTemplate(metadata, given, hasTools);
    } catch {
      return "";
    }
  };
  const [usual, withTools] = [found(false), found(true)];
  return { chat_template: usual, ...(withTools !== usual && { chat_template_tool_use: withTools }) };
}

/** What a request has that gives nothing: the values of the default chain's uniforms, and those of its text. */
function paramsOf({ defaults, samplers }: Serving): object {
  const own = samplers.find(DEFAULT_NAME);
  const { graph } = own?.chain ?? defaults.of({ most: Infinity, edits: true, constrained: false });
  const values = graph.params.map(
    (param) => [param.name, param.default === "random" ? RANDOM_SEED : param.default] as const,
  );
  return {
    ...Object.fromEntries(values),
    ...(!own && { top_k: 0, samplers: ["penalties", "top_k", "top_p", "min_p", "temperature"] }),
    ignore_eos: false,
    stream: false,
  };
}
