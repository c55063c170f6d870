/** The paths that write texts, of all APIs. */
import type { FastifyInstance, FastifyReply, FastifyRequest } from "fastify";
import { AnswerReader } from "ggsl/chat/answer.js";
import type { CallForm } from "ggsl/chat/calls/form.js";
import type { AnswerWriter, Asked, TextApi } from "../apis/api.js";
import { TEXT_APIS } from "../apis/index.js";
import { jsonOf } from "../apis/rawJson.js";
import { inClientsNames } from "../apis/read.js";
import { prepare } from "../engine/choose.js";
import { enforceable, prepareGrammars } from "../engine/grammars.js";
import type { Engine } from "../engine/engine.js";
import { thoughtLimitOf, thoughtsAfter } from "../engine/thinking.js";
import { mostTokens, placeOf, promptsOf, textsOf } from "../engine/plan.js";
import { checkUnderPolicy } from "../engine/underPolicy.js";
import { openUsage, writeTexts, type Sink } from "../engine/texts.js";
import { refusalFor } from "../faults.js";
import { EventStream } from "../http/events.js";
import { laneOf } from "../lanes/lane.js";
import { Refusal } from "../refusal.js";
import type { ChatBody, GivenBody } from "../request/bodies.js";
import { askedFormat, grammarFor, mayCallMore, type AnswerForms } from "../request/grammars.js";
import type { Serving } from "../serving.js";
import { abortFor, addApiPost, admit, chooseModel, clientOf, ignore, pause, takeQuota } from "./exchange.js";
import type { ChosenModel } from "./models.js";

export function addGenerate(app: FastifyInstance, serving: Serving): void {
  for (const api of TEXT_APIS)
    addApiPost(app, serving, api, (request, reply) => generate(serving, api, request, reply));
}

async function generate(serving: Serving, api: TextApi, request: FastifyRequest, reply: FastifyReply): Promise<void> {
  const asked = request.asked!;
  const { body } = asked.given;
  const model = chooseModel(serving, reply, body.model);
  if (asked.instant)
    return void reply.send({ model: asked.body["model"], created_at: new Date().toISOString(), ...asked.instant });
  const abort = abortFor(serving, reply);
  const { patience } = serving;
  const stream = body.stream
    ? new EventStream(reply.raw, { form: api.stream, open: () => taken(reply), patience })
    : undefined;
  const exchange: Exchange = { api, request, reply, abort, stream, model, writer: undefined };
  try {
    await answer(serving, asked, exchange);
  } catch (error) {
    stream?.rest();
    const reason: unknown = abort.signal.aborted ? abort.signal.reason : error;
    if (reply.raw.destroyed) return void reply.hijack();
    if (!stream?.isOpen) throw reason;
    const refusal = inClientsNames(refusalFor(reason), asked.origins);
    serving.metrics.refused(refusal.reason);
    request.facts.error = refusal;
    stream.end(exchange.writer!.fail(refusal, request.id));
  } finally {
    serving.answering.delete(abort);
  }
}

interface Exchange {
  readonly api: TextApi;
  readonly request: FastifyRequest;
  readonly reply: FastifyReply;
  readonly model: ChosenModel;
  readonly abort: AbortController;
  readonly stream: EventStream | undefined;
  /** Once the answer begins. */
  writer: AnswerWriter | undefined;
}

async function answer(serving: Serving, asked: Asked, exchange: Exchange): Promise<void> {
  const { api, request, reply, model, abort, stream } = exchange;
  const { engine, metrics } = serving;
  const { given } = asked;
  const { body } = given;
  const { signal } = abort;
  const place = placeOf(engine, body);
  const waiter = { lane: laneOf(request), signal };
  await pause(request);
  const prompts = await promptsOf(engine, given, waiter);
  using _quota = takeQuota(serving, request, reply, prompts);
  const forms = given.endpoint === "chat" ? await formsFor(engine, given.body, prompts[0]!) : undefined;
  const grammar = await enforceable(
    engine,
    given.endpoint === "chat" ? grammarFor(given.body, forms!) : askedFormat(body),
    waiter,
  );
  const client = clientOf(request);
  const prepared = await prepare(serving, { body, grammar, client, signal, named: model.sampler });
  ignore(reply, prepared.ignored);
  const thought = given.endpoint === "chat" ? thoughtLimitOf(given.body, forms?.thoughts?.form) : undefined;
  const texts = textsOf(engine, given, prompts, prepared, { ...waiter, thought });
  if (serving.hasPolicy) texts.forEach(checkUnderPolicy);
  await prepareGrammars(engine, prepared, grammar, waiter);
  const { facts, started } = request;
  facts.sampler = prepared.chain.name;
  facts.user = body.user ?? body.safety_identifier;
  const writer = (exchange.writer = api.open({
    asked,
    model: engine.model,
    name: model.name,
    texts: texts.length,
    promptTokens: prompts.reduce((sum, { length }) => sum + length, 0),
    isStream: stream !== undefined,
    started,
  }));
  const seconds = body.sse_ping_interval ?? serving.pingInterval;
  if (seconds > 0) stream?.keepAlive(1000 * seconds);
  using ticket = await admit(serving, request, {
    texts: texts.map((text) => mostTokens(engine, text)),
    signal,
    ...(place !== undefined && { place }),
  });
  facts.answer = writer.id;
  const readers = texts.map(() => readerFor(given, forms));
  const usage = (facts.usage = openUsage());
  const sink = sinkOf(writer, readers, stream, given.endpoint === "chat");
  await writeTexts({ engine, texts, ticket, place, metrics, abort, start: started, sink }, usage);
  if (!stream) return void reply.type("application/json; charset=utf-8").send(jsonOf(writer.whole(usage)));
  stream.end(writer.finish(usage));
}

/** Gives what texts add to the answer to its writer, and the events to the stream, if there is one. */
function sinkOf(
  writer: AnswerWriter,
  readers: readonly AnswerReader[],
  stream: EventStream | undefined,
  isChat: boolean,
): Sink {
  let isBegun = false;
  const begin = (): void => {
    if (!isBegun) void stream?.sendAll(writer.begin());
    isBegun = true;
  };
  return {
    piece(index, piece) {
      begin();
      const events = writer.piece(index, piece, readers[index]!.push(piece));
      return stream?.sendAll(events);
    },
    end(index, stats) {
      begin();
      const reader = readers[index]!;
      const parts = reader.flush();
      const { isCut, reasoningTokens } = reader;
      const events = writer.end(index, { stats, parts, isCut, ...(isChat && { reasoningTokens }) });
      return stream?.sendAll(events);
    },
    isFull: (index) => readers[index]!.isFull,
  };
}

function readerFor(given: GivenBody, { calls: form, thoughts }: Partial<AnswerForms> = {}): AnswerReader {
  if (given.endpoint === "completions") return new AnswerReader(undefined);
  const { tools = [], tool_choice: choice, reasoning_format: format } = given.body;
  const isCall = choice === "required" || typeof choice === "object";
  const calls = form && { form, tools, isParallel: mayCallMore(given.body), isCall };
  return new AnswerReader(calls, format === "none" ? undefined : thoughts);
}

const formsFor = async (engine: Engine, body: ChatBody, prompt: Int32Array): Promise<AnswerForms> => ({
  calls: await callFormFor(engine, body),
  thoughts: await thoughtsAfter(engine, prompt, body.continue_final_message),
});

/** The form of calls, if the model may call tools. */
async function callFormFor({ forms }: Engine, { tools, tool_choice: choice }: ChatBody): Promise<CallForm | undefined> {
  if (!tools?.length || choice === "none") return undefined;
  const form = await forms.calls();
  if (form) return form;
  throw new Refusal(
    "unsupported_tools",
    "the model's chat template writes no calls of tools, or in a form that is not read: describe the tools in a message",
    { param: "tools" },
  );
}

/** Takes the answer out of Fastify's hands; the result is the headers that it has set. */
function taken(reply: FastifyReply): Record<string, string> {
  reply.hijack();
  return reply.getHeaders() as Record<string, string>;
}
