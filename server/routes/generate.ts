/** `POST /v1/chat/completions` and `/v1/completions`. */
import type { FastifyInstance, FastifyReply, FastifyRequest } from "fastify";
import { prepare } from "../engine/choose.js";
import { enforceable, prepareGrammars } from "../engine/grammars.js";
import { mostTokens, placeOf, promptsOf, textsOf } from "../engine/plan.js";
import { openUsage, writeTexts, type Sink } from "../engine/texts.js";
import { refusalFor } from "../faults.js";
import { laneOf } from "../lanes/lane.js";
import { headOf, usageOf } from "../apis/openai/answers.js";
import type { ChatBody, GivenBody } from "../request/bodies.js";
import { ChatText, CompletionText, type TextForm } from "../apis/openai/choices.js";
import { EventStream } from "../http/events.js";
import type { TextEndpoint } from "../request/fields.js";
import { constraintOf } from "../request/constraints.js";
import { grammarFor } from "../request/grammars.js";
import { AnswerReader } from "ggsl/chat/answer.js";
import type { CallForm } from "ggsl/chat/calls/form.js";
import { Refusal } from "../refusal.js";
import type { Serving } from "../serving.js";
import type { ChosenModel } from "./models.js";
import { abortFor, addPost, admit, chooseModel, clientOf, ignore, pause, takeQuota } from "./exchange.js";

export function addGenerate(app: FastifyInstance, serving: Serving): void {
  for (const endpoint of ["chat", "completions"] as const)
    addPost(app, serving, endpoint, (request, reply) => generate(serving, endpoint, request, reply));
}

async function generate(
  serving: Serving,
  endpoint: TextEndpoint,
  request: FastifyRequest,
  reply: FastifyReply,
): Promise<void> {
  const given = { endpoint, body: request.body } as GivenBody;
  const { body } = given;
  const model = chooseModel(serving, reply, body.model);
  const abort = abortFor(serving, reply);
  const stream = body.stream ? new EventStream(reply.raw, () => taken(reply), serving.patience) : undefined;
  try {
    await answer(serving, given, { request, reply, abort, stream, model });
  } catch (error) {
    const reason: unknown = abort.signal.aborted ? abort.signal.reason : error;
    if (reply.raw.destroyed) return void reply.hijack();
    if (!stream?.isOpen) throw reason;
    const refusal = refusalFor(reason);
    serving.metrics.refused(refusal.reason);
    request.facts.error = refusal;
    stream.fail(refusal.bodyFor(request.id));
  } finally {
    serving.answering.delete(abort);
  }
}

interface Exchange {
  readonly request: FastifyRequest;
  readonly reply: FastifyReply;
  readonly model: ChosenModel;
  readonly abort: AbortController;
  readonly stream: EventStream | undefined;
}

async function answer(
  serving: Serving,
  given: GivenBody,
  { request, reply, model, abort, stream }: Exchange,
): Promise<void> {
  const { engine, metrics } = serving;
  const { body } = given;
  const { signal } = abort;
  const place = placeOf(engine, body);
  const waiter = { lane: laneOf(request), signal };
  await pause(request);
  const prompts = await promptsOf(engine, given, waiter);
  using _quota = takeQuota(serving, request, reply, prompts);
  const form = given.endpoint === "chat" ? await callFormFor(serving, given.body) : undefined;
  const asked = given.endpoint === "chat" ? grammarFor(given.body, form) : constraintOf(body);
  const grammar = await enforceable(engine, asked, waiter);
  const client = clientOf(request);
  const prepared = await prepare(serving, { body, grammar, client, signal, named: model.sampler });
  ignore(reply, prepared.ignored);
  const texts = textsOf(engine, given, prompts, prepared, waiter);
  await prepareGrammars(engine, prepared, grammar, waiter);
  const { facts } = request;
  facts.sampler = prepared.chain.name;
  facts.user = body.user ?? body.safety_identifier;
  using ticket = await admit(serving, request, {
    texts: texts.map((text) => mostTokens(engine, text)),
    signal,
    ...(place !== undefined && { place }),
  });
  const head = headOf(given.endpoint, model.name, stream !== undefined);
  facts.answer = head.id;
  const forms = texts.map((_, index) => formOf(serving, given, index, form));
  const usage = (facts.usage = openUsage());
  const run = { engine, texts, ticket, place, metrics, abort, start: request.started };
  if (!stream) {
    await writeTexts({ ...run, sink: collector(forms) }, usage);
    return void reply.send({ ...head, choices: forms.map(({ whole }) => whole), usage: usageOf(usage) });
  }
  const wantsUsage = body.stream_options?.include_usage === true;
  const event = (choices: readonly object[], more: object = wantsUsage ? { usage: null } : {}) =>
    stream.send({ ...head, choices, ...more });
  await writeTexts({ ...run, sink: sender(forms, event) }, usage);
  if (wantsUsage) void event([], { usage: usageOf(usage) });
  stream.end();
}

/** Keeps texts for one answer. */
const collector = (forms: readonly TextForm[]): Sink => ({
  piece: (index, piece) => void forms[index]!.piece(piece),
  end: (index, stats) => void forms[index]!.end(stats),
  isFull: (index) => forms[index]!.isFull,
});

/** Sends an event for each piece. */
const sender = (
  forms: readonly TextForm[],
  event: (choices: readonly object[]) => Promise<void> | undefined,
): Sink => ({
  piece(index, piece) {
    const choice = forms[index]!.piece(piece);
    return choice && event([choice]);
  },
  end(index, stats) {
    let last: Promise<void> | undefined;
    for (const choice of forms[index]!.end(stats)) last = event([choice]);
    return last;
  },
  isFull: (index) => forms[index]!.isFull,
});

function formOf({ engine: { model } }: Serving, given: GivenBody, index: number, form: CallForm | undefined): TextForm {
  const { logprobs, measures = false } = given.body;
  const options = {
    index,
    model,
    wantsLogprobs: logprobs !== undefined && logprobs !== false,
    wantsMeasures: measures,
  };
  if (given.endpoint === "completions") return new CompletionText(options);
  const { tools = [], parallel_tool_calls: isParallel = true, tool_choice: choice } = given.body;
  // an enforced call is the whole answer
  const isOne = typeof choice === "object" || choice === "required";
  return new ChatText(options, new AnswerReader(form && { form, tools, isParallel: isParallel && !isOne }));
}

/** The form of calls, if the model may call tools. */
async function callFormFor(
  { callForm }: Serving,
  { tools, tool_choice: choice }: ChatBody,
): Promise<CallForm | undefined> {
  if (!tools?.length || choice === "none") return undefined;
  const form = await callForm();
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
