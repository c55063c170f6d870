/** `GET /openapi.json`: the paths and bodies for tools that make clients. */
import type { FastifyInstance } from "fastify";
import { FORMS, type Form } from "../request/forms.js";
import { BODY_APIS } from "../apis/index.js";
import { showForm } from "../apis/ollama/api.js";
import type { FieldSchema } from "../request/schemas.js";
import { SAMPLER_BODY } from "./samplers.js";

/** The paths, and what each answers. */
export const ROUTES = {
  "POST /v1/chat/completions": "an answer to a conversation, as OpenAI's",
  "POST /v1/completions": "a text that goes on, as OpenAI's",
  "POST /v1/responses": "an answer as a list of items, as OpenAI's Responses",
  "POST /v1/messages": "an answer as a list of blocks, as Anthropic's Messages",
  "POST /v1/messages/count_tokens": "the number of tokens of a conversation, as Anthropic's",
  "POST /api/chat": "an answer to a conversation, as Ollama's",
  "POST /api/generate": "an answer to a prompt, or a text that goes on, as Ollama's",
  "GET /api/tags": "the names of the model, as Ollama's",
  "POST /api/show": "what the model is, as Ollama's",
  "GET /api/ps": "the model that is loaded, as Ollama's",
  "GET /api/version": "the version of Ollama whose form these have",
  "POST /v1/logits": "the model's logits after a prompt, as JSON or as `application/octet-stream`",
  "POST /v1/samplers": "compiles a sampler and keeps it: its id, cost, parameters and warnings",
  "GET /v1/models":
    "the model, with each of its names and with each of the server's samplers, and the places that have one of their own",
  "GET /v1/tokens": "the text of each token of the model, by its id",
  "POST /tokenize": "the tokens of a text, in the form of llama-server",
  "POST /detokenize": "the text of tokens, in the form of llama-server",
  "POST /apply-template": "the prompt that the chat template makes of a conversation, in the form of llama-server",
  "GET /props": "the model, the template and the values that requests begin with, in the form of llama-server",
  "GET /health": "200 while the process lives",
  "GET /ready":
    "200 while requests are taken, 503 once the server ends, and while a model that was lost is loaded again",
  "GET /metrics": "numbers for Prometheus",
  "GET /openapi.json": "this list, with the schemas of bodies, in the form of OpenAPI 3.1",
  "GET /": "the playground, or this list",
} as const;

export function addOpenApi(app: FastifyInstance): void {
  const document = openApi();
  app.get("/openapi.json", () => document);
}

const ANSWERS = {
  "200": { description: "the answer" },
  default: { description: "`{ error: { message, type, param, code } }`" },
};

function openApi(): object {
  const bodies: Readonly<Record<string, FieldSchema>> = {
    ...Object.fromEntries(
      [...Object.values(FORMS), ...BODY_APIS.map(({ form }) => form), showForm].map((form) => [
        form.path,
        described(form),
      ]),
    ),
    "/v1/samplers": SAMPLER_BODY,
  };
  const paths: Record<string, object> = {};
  for (const [route, summary] of Object.entries(ROUTES)) {
    const [method = "", path = ""] = route.split(" ");
    const body = bodies[path];
    const requestBody = { required: true, content: { "application/json": { schema: body } } };
    paths[path] = { [method.toLowerCase()]: { summary, ...(body && { requestBody }), responses: ANSWERS } };
  }
  const security = { bearer: { type: "http", scheme: "bearer" } };
  return {
    openapi: "3.1.0",
    info: { title: "ggsl serve", version: "1" },
    paths,
    components: { securitySchemes: security },
  };
}

/** The schema of a body, without fields that are refused, with their descriptions. */
function described({ fields, schema }: Form): FieldSchema {
  const taken = Object.entries(fields).filter(([, { support }]) => support !== "no");
  return {
    ...schema,
    properties: Object.fromEntries(taken.map(([name, { schema: of, about }]) => [name, { ...of, description: about }])),
  };
}
