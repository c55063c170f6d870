/** `POST /v1/messages/count_tokens`: the tokens of a conversation that is not answered. */
import type { FastifyInstance } from "fastify";
import { countTokens } from "../apis/anthropic/api.js";
import { countPrompt } from "../engine/plan.js";
import { laneOf } from "../lanes/lane.js";
import type { ChatBody } from "../request/bodies.js";
import type { Serving } from "../serving.js";
import { addApiPost, answered, chooseModel } from "./exchange.js";

export function addCountTokens(app: FastifyInstance, serving: Serving): void {
  addApiPost(app, serving, countTokens, (request, reply) => {
    const body = request.asked!.given.body as ChatBody;
    chooseModel(serving, reply, body.model);
    return answered(serving, reply, async (signal) =>
      reply.send({ input_tokens: await countPrompt(serving.engine, body, { lane: laneOf(request), signal }) }),
    );
  });
}
