/** Bodies of Ollama's API in the server's own form. */
import { Refusal } from "../../refusal.js";
import type { Body } from "../../request/fields.js";
import type { Reading, Translated } from "../api.js";
import { defined, goesOn, OWN, passed, thinkingSwitch } from "../shared.js";
import { GONE_OPTIONS, START_OPTIONS } from "./fields.js";

type Origins = Map<string, string>;

export function translateChat(body: Body, reading: Reading): Translated {
  const { messages = [] } = body as { readonly messages?: readonly Message[] };
  const origins: Origins = new Map();
  const common = commonOf(body, reading, origins);
  if (messages.length === 0) return loaded(common, origins, { message: { role: "assistant", content: "" } });
  const given = messages.map((message, i) => messageOf(message, `messages[${i}]`));
  return {
    endpoint: "chat",
    body: defined({
      // with calls it is complete
      ...(!messages.at(-1)!.tool_calls?.length && goesOn(given)),
      ...common,
      messages: given,
      tools: body["tools"],
      tool_choice: body["tool_choice"],
    }),
    origins,
  };
}

export function translateGenerate(body: Body, reading: Reading): Translated {
  const { prompt = "", system, raw } = body as { prompt?: string; system?: string; raw?: boolean };
  const origins: Origins = new Map([["messages", "prompt"]]);
  const { chat_template_kwargs: variables, reasoning_effort: effort, ...common } = commonOf(body, reading, origins);
  if (prompt === "") return loaded(common, origins, { response: "" });
  if (!raw) {
    const user = { role: "user", content: prompt };
    const messages = system === undefined ? [user] : [{ role: "system", content: system }, user];
    const chat = defined({ chat_template_kwargs: variables, reasoning_effort: effort });
    return { endpoint: "chat", body: { ...common, ...chat, messages }, origins };
  }
  for (const [path, value] of Object.entries({ system, think: variables ?? effort }))
    if (value !== undefined) reading.drop(path, "with `raw` the prompt is gone on with as it is: omit one of them");
  const { logprobs, top_logprobs: most = 0, max_tokens = -1, ...rest } = common;
  return {
    endpoint: "completions",
    body: defined({ ...rest, prompt, max_tokens, ...(logprobs === true && { logprobs: most }) }),
    origins,
  };
}

/** What Ollama answers to a request that only loads the model. */
const loaded = ({ model }: Body, origins: Origins, answer: object): Translated => ({
  endpoint: "chat",
  body: { model },
  origins,
  instant: { ...answer, done: true, done_reason: "load" },
});

function commonOf(body: Body, { note }: Reading, origins: Origins): Body {
  const { model, stream = true, format, logprobs, top_logprobs: most } = body;
  const { num_predict: limit, ...options } = (body["options"] ?? {}) as Body;
  for (const name of Object.keys(options)) {
    origins.set(name, `options.${name}`);
    if (START_OPTIONS.has(name) || GONE_OPTIONS.has(name)) note(`options.${name}`);
  }
  origins.set("max_tokens", "options.num_predict").set("response_format", "format");
  const sampling = Object.entries(options).filter(([name]) => !START_OPTIONS.has(name) && !GONE_OPTIONS.has(name));
  return defined({
    ...passed(body, OWN),
    ...Object.fromEntries(sampling),
    model: (model as string).replace(/:latest$/, ""),
    stream,
    // -2 fills the context
    max_tokens: limit === -2 ? -1 : limit,
    response_format: formatOf(format),
    logprobs,
    top_logprobs: most,
    ...thinkingOf(body, origins),
  });
}

function formatOf(format: unknown): object | undefined {
  if (format === undefined || format === "") return undefined;
  if (format === "json") return { type: "json_object" };
  return { type: "json_schema", json_schema: { name: "answer", schema: format } };
}

/** How much the model thinks. */
function thinkingOf(body: Body, origins: Origins): Body {
  const { think } = body;
  if (think === undefined) return {};
  origins.set("reasoning_effort", "think");
  if (typeof think === "string") return { reasoning_effort: think };
  return thinkingSwitch(think === true, body);
}

interface Message {
  readonly role: string;
  readonly content?: string;
  readonly thinking?: string;
  readonly images?: readonly string[];
  readonly tool_calls?: readonly { readonly id?: string; readonly function: object }[];
  readonly tool_name?: string;
  readonly tool_call_id?: string;
}

function messageOf(message: Message, path: string): object {
  const {
    role,
    content = "",
    thinking,
    images = [],
    tool_calls: calls = [],
    tool_name: name,
    tool_call_id: id,
  } = message;
  if (images.length > 0)
    throw new Refusal("unsupported_parameter", `\`${path}.images\`: the models of this server read text only`, {
      param: `${path}.images`,
    });
  return {
    role,
    content,
    ...(thinking !== undefined && thinking !== "" && { reasoning_content: thinking }),
    ...(calls.length > 0 && { tool_calls: calls.map(callOf) }),
    ...(name !== undefined && { name }),
    ...(id !== undefined && { tool_call_id: id }),
  };
}

function callOf({ id, function: of }: { readonly id?: string; readonly function: object }): object {
  const { name, arguments: args } = of as { readonly name: string; readonly arguments?: unknown };
  return { ...(id !== undefined && { id }), type: "function", function: { name, arguments: args ?? {} } };
}
