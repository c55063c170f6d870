/** What requests that compute have in common: their fields, their model, their turn, and their end. */
import type { FastifyInstance, FastifyReply, FastifyRequest } from "fastify";
import { nextTask } from "ggsl/core/nextTask.js";
import { guarded } from "../guarded.js";
import { headerNames, setHeaders } from "../http/headers.js";
import { laneOf } from "../lanes/lane.js";
import type { BodyApi } from "../apis/api.js";
import { clientPath, readBody } from "../apis/read.js";
import { writtenTokens } from "../engine/texts.js";
import { withoutUntold } from "../engine/thinking.js";
import { checkFields, checkFit, tidyBody } from "../request/check.js";
import type { GivenBody } from "../request/bodies.js";
import { readConversation } from "../request/conversation.js";
import type { Body, Endpoint, TextEndpoint } from "../request/fields.js";
import { FORMS } from "../request/forms.js";
import { findModel, namesOf, unknownModel, type ChosenModel } from "./models.js";
import type { Admission, Ticket } from "../queue/queue.js";
import type { SamplerClient } from "../samplers/samplers.js";
import type { Serving } from "../serving.js";

/** Names the fields that a lenient server has ignored. */
export const IGNORED = "x-ggsl-ignored";

/** Characters of a body that is read in parts, between which others are answered. */
const LONG = 2 ** 16;

/** Lets others be answered, if a request is long. */
export const pause = async ({ headers }: FastifyRequest): Promise<void> => {
  if (!(Number(headers["content-length"]) <= LONG)) await nextTask();
};

/** Throws a `Refusal` for fields that the path does not take, and gives the others the form of `bodies.ts`. */
async function checkBody(
  { isLenient, engine }: Serving,
  endpoint: Exclude<Endpoint, TextEndpoint>,
  request: FastifyRequest,
  reply: FastifyReply,
): Promise<void> {
  await pause(request);
  const form = FORMS[endpoint];
  const { body: done, ignored } = checkFields(form, request.body, isLenient);
  const body = tidyBody(form.schema, done, isLenient, ignored) as Body;
  await pause(request);
  request.body = endpoint === "template" ? readConversation(body) : body;
  if (isLenient && endpoint === "template") {
    const told = await withoutUntold(engine, request.body as Body);
    request.body = told.body;
    for (const name of told.ignored) ignored.push(name);
  }
  ignore(reply, ignored);
  await pause(request);
}

/** Names fields that have no effect in a header of the answer, after those that were named before. */
export function ignore(reply: FastifyReply, names: readonly string[]): void {
  if (names.length === 0) return;
  const { facts } = reply.request;
  facts.ignored = [...(facts.ignored ?? []), ...names];
  setHeaders(reply, { [IGNORED]: headerNames(facts.ignored) });
}

/** The model that a request names. Throws a `Refusal` for one that the server does not have; a lenient one takes its own. */
export function chooseModel(serving: Serving, reply: FastifyReply, model: string | undefined): ChosenModel {
  const chosen = findModel(serving, model);
  if (chosen) return chosen;
  if (!serving.isLenient) throw unknownModel(namesOf(serving), model!, "model");
  ignore(reply, ["model"]);
  return { name: serving.engine.name };
}

/** Aborted when the client goes away, and when the server ends. Delete it from `answering` when the request is answered. */
export function abortFor({ answering }: Serving, { raw }: FastifyReply): AbortController {
  const abort = new AbortController();
  answering.add(abort);
  raw.once(
    "close",
    guarded("close", () => {
      answering.delete(abort);
      if (!raw.writableFinished) abort.abort();
    }),
  );
  return abort;
}

/** Runs what gives one answer. Its signal is aborted when the client goes away, and when the server ends. */
export async function answered(
  serving: Serving,
  reply: FastifyReply,
  task: (signal: AbortSignal) => Promise<FastifyReply>,
): Promise<FastifyReply> {
  const abort = abortFor(serving, reply);
  const { signal } = abort;
  try {
    return await task(signal);
  } catch (error) {
    if (reply.raw.destroyed) return await reply.hijack();
    throw signal.aborted ? signal.reason : error;
  } finally {
    serving.answering.delete(abort);
  }
}

type Handler = (request: FastifyRequest, reply: FastifyReply) => unknown;

/** A path that takes bodies of an endpoint. */
export function addPost(
  app: FastifyInstance,
  serving: Serving,
  endpoint: Exclude<Endpoint, TextEndpoint>,
  handler: Handler,
): void {
  const { path, schema } = FORMS[endpoint];
  app.post(path, {
    schema: { body: schema },
    preValidation: (request, reply) => checkBody(serving, endpoint, request, reply),
    handler,
  });
}

/** A path of an API that takes a body, and asks the model for nothing. */
export function addFormPost(
  app: FastifyInstance,
  { isLenient }: Serving,
  { form, errors }: Pick<BodyApi, "form" | "errors">,
  handler: (body: Body) => unknown,
): void {
  app.post(form.path, { config: { errors } }, (request, reply) => {
    const { body: done, ignored } = checkFields(form, request.body, isLenient);
    const body = tidyBody(form.schema, done, isLenient, ignored) as Body;
    checkFit(form, body);
    ignore(reply, ignored);
    return handler(body);
  });
}

/** A path of an API. Its requests have `asked`. */
export function addApiPost(app: FastifyInstance, serving: Serving, api: BodyApi, handler: Handler): void {
  const { form, translate, errors } = api;
  const { isLenient, engine } = serving;
  app.post(form.path, {
    config: { errors },
    // what is translated was checked before
    ...(!translate && { schema: { body: form.schema } }),
    async preValidation(request, reply) {
      const ignored: string[] = [];
      request.asked = await readBody(api, request.body, { isLenient, ignored, pause: () => pause(request) });
      if (isLenient && request.asked.given.endpoint === "chat" && !request.asked.instant) {
        const { given, origins } = request.asked;
        const told = await withoutUntold(engine, given.body as unknown as Body);
        request.asked = { ...request.asked, given: { ...given, body: told.body } as unknown as GivenBody };
        for (const name of told.ignored) ignored.push(clientPath(name, origins));
      }
      request.body = translate ? request.asked.body : request.asked.given.body;
      ignore(reply, ignored);
      await pause(request);
    },
    handler,
  });
}

/** On whose behalf a request's sampler is compiled. */
export const clientOf = (request: FastifyRequest): SamplerClient => ({
  lane: laneOf(request),
  limits: request.key.limits,
});

/** Waits for the place of the first text. */
export async function admit(
  { queue }: Serving,
  request: FastifyRequest,
  wanted: Omit<Admission, "lane" | "limits">,
): Promise<Ticket> {
  const ticket = await queue.admit({ lane: laneOf(request), limits: request.key.limits, ...wanted });
  request.facts.waited = ticket.waited;
  return ticket;
}

/**
 * Takes the tokens of prompts from what the key has in a minute, and those of its texts until it is disposed. The headers of the answer
 * tell what is left. Throws a `Refusal` if nothing is.
 */
export function takeQuota(
  { quotas }: Serving,
  { key, facts }: FastifyRequest,
  reply: FastifyReply,
  prompts: readonly Int32Array[],
): Disposable {
  const tokens = prompts.reduce((sum, { length }) => sum + length, 0);
  const use = quotas.begin(key, tokens, () => (facts.usage ? writtenTokens(facts.usage) : 0));
  setHeaders(reply, quotas.headersOf(key));
  return use;
}
