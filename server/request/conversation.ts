/** Conversations and tools as clients send them, in the one form that templates and grammars read. */
import { NO_PARAMETERS } from "ggsl/chat/calls/arguments.js";
import { checkShape } from "../http/json.js";
import { Refusal } from "../refusal.js";
import type { Body } from "./fields.js";
import { pathText, show, type Path } from "./fit.js";

/** Parts of a content that are no text. */
const MEDIA: Readonly<Record<string, string>> = {
  image_url: "an image",
  image: "an image",
  input_image: "an image",
  video_url: "a video",
  video: "a video",
  input_audio: "sound",
  audio: "sound",
  audio_url: "sound",
  file: "a file",
  input_file: "a file",
};

const isObject = (value: unknown): value is Body =>
  typeof value === "object" && value !== null && !Array.isArray(value);

const mapped = (list: unknown, read: (item: Body, i: number) => unknown): unknown =>
  Array.isArray(list) ? list.map((item: unknown, i) => (isObject(item) ? read(item, i) : item)) : list;

/**
 * A body with its messages and tools in that form. What does not fit the schema is left as it is. Throws a `Refusal` for parts that the
 * model cannot read, and for what the schema cannot tell.
 */
export const readConversation = ({ messages, tools, ...rest }: Body): Body => ({
  ...rest,
  ...(messages !== undefined && { messages: mapped(messages, (one, i) => readMessage(one, ["messages", i])) }),
  ...(tools !== undefined && { tools: mapped(tools, readTool) }),
});

const refuse = (path: Path, message: string, reason: "invalid_request" | "unsupported_parameter"): Refusal =>
  new Refusal(reason, `\`${pathText(path)}\` ${message}`, { param: pathText(path) });

function readMessage({ content, tool_calls: calls, ...message }: Body, path: Path): Body {
  const { role } = message;
  if (role === "function")
    throw refuse([...path, "role"], 'is outdated: give the role "tool"', "unsupported_parameter");
  if (message["function_call"] !== undefined)
    throw refuse([...path, "function_call"], "is outdated: give `tool_calls`", "unsupported_parameter");
  const hasCalls = calls !== undefined && !(Array.isArray(calls) && calls.length === 0);
  const isSilent = content === undefined || content === null;
  // clients keep an answer without any text as null, or without a content
  if (isSilent && role !== undefined && role !== "assistant")
    throw refuse(
      [...path, "content"],
      `must be a text, or a list of parts { type: "text", text }, found ${show(content)}`,
      "invalid_request",
    );
  return {
    ...message,
    content: isSilent ? null : mapped(content, (part, i) => readPart(part, [...path, "content", i])),
    ...(hasCalls && { tool_calls: mapped(calls, (call, i) => readCall(call, [...path, "tool_calls", i])) }),
  };
}

function readPart(part: Body, path: Path): Body {
  const { type, refusal } = part;
  if (type === "refusal" && typeof refusal === "string") return { type: "text", text: refusal };
  const what = typeof type === "string" && Object.hasOwn(MEDIA, type) ? MEDIA[type]! : undefined;
  if (what === undefined) return part;
  const why = `is ${what} (${JSON.stringify(type)}), and the models of this server read text only: expected { type: "text", text }`;
  throw refuse(path, why, "unsupported_parameter");
}

/** A call without arguments has an empty object of them. */
function readCall(call: Body, path: Path): Body {
  const { function: named } = call;
  if (!isObject(named)) return call;
  const { arguments: given } = named;
  const isAbsent = given === undefined || (typeof given === "string" && /^\s*(?:null)?\s*$/.test(given));
  const at = [...path, "function", "arguments"];
  if (typeof given === "string" && !isAbsent && !isObject(parsed(given, at)))
    throw refuse(at, `must be an object, or its JSON text, found ${show(given)}`, "invalid_request");
  return { ...call, function: { ...named, ...(isAbsent && { arguments: "{}" }) } };
}

/** Throws a `Refusal` for a text that exceeds the limits of bodies; undefined for one that is no JSON. */
function parsed(text: string, path: Path): unknown {
  checkShape(text, pathText(path));
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

function readTool(tool: Body): Body {
  const { function: named } = tool;
  if (!isObject(named)) return tool;
  const { parameters = {} } = named;
  return isObject(parameters) ? { ...tool, function: { ...named, parameters: parametersOf(parameters) } } : tool;
}

/** Arguments are an object, also where a schema does not say so. */
function parametersOf(schema: Body): Body {
  if (Object.keys(schema).length === 0) return NO_PARAMETERS;
  return schema["properties"] !== undefined && schema["type"] === undefined ? { type: "object", ...schema } : schema;
}
