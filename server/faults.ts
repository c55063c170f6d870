/** Errors of the runtime and of Fastify as refusals. */
import type { InputErrorCode } from "ggsl/core/errors.js";
import { Refusal, type RefusalReason } from "./refusal.js";

/** Errors of the runtime that a request causes, and the field that does. All others are faults of the device or the server. */
const CAUSES: Readonly<Partial<Record<InputErrorCode, readonly [reason: RefusalReason, param?: string]>>> = {
  INVALID_ARGUMENT: ["invalid_request"],
  LIMIT_EXCEEDED: ["invalid_request"],
  CONTEXT_FULL: ["context_length_exceeded"],
  INVALID_LOGITS: ["sampler_failed", "sampler"],
  NO_CANDIDATE: ["sampler_failed", "sampler"],
  INVALID_GRAPH: ["invalid_sampler", "sampler"],
  UNSUPPORTED_OP: ["invalid_sampler", "sampler"],
  MISSING_INPUT: ["invalid_request", "sampler_inputs"],
  MISSING_GRAMMAR: ["invalid_request", "sampler_params"],
  INVALID_SCHEMA: ["invalid_request", "response_format"],
  UNENFORCED_KEYWORD: ["invalid_request", "response_format"],
  NO_TEMPLATE: ["no_chat_template", "messages"],
  INVALID_TEMPLATE: ["invalid_messages", "messages"],
  TEMPLATE_REFUSED: ["invalid_messages", "messages"],
  TEMPLATE_FAILED: ["invalid_messages", "messages"],
  DISPOSED: ["shutting_down"],
  OUT_OF_MEMORY: ["model_failed"],
  COMPUTE_FAILED: ["model_failed"],
  ENGINE_FAILED: ["model_failed"],
  BUSY: ["grammars_busy"],
  LOST_SERVER: ["model_lost"],
};

/** What clients are told of faults of the server, whose errors name its parts. */
const OWN: Readonly<Partial<Record<RefusalReason, string>>> = {
  model_failed: "the device failed while it computed",
  model_lost: "a machine with a part of the model was lost: send the request again",
};

/** Seconds after which a client tries again what the server has no room for now. */
const RETRY_AFTER: Readonly<Partial<Record<RefusalReason, number>>> = { grammars_busy: 2, tokenizer_busy: 2 };

/** Errors of the system that has no file, thread or memory left. */
const OUT: ReadonlySet<string> = new Set(["EMFILE", "ENFILE", "ENOMEM", "EAGAIN", "ERR_WORKER_INIT_FAILED"]);
/** Seconds after which a client tries again. */
const WHEN_OUT = 5;
/** Causes that are looked at. */
const DEPTH = 4;

/** Whether an error, or what caused it, is a lack of files, threads or memory, which will be over. */
export function isOutOfResources(error: unknown, depth = DEPTH): boolean {
  const { code, cause } = (error ?? {}) as { readonly code?: unknown; readonly cause?: unknown };
  return (
    (typeof code === "string" && OUT.has(code)) ||
    (cause !== undefined && depth > 0 && isOutOfResources(cause, depth - 1))
  );
}

/** Fastify's errors. */
const HTTP: Readonly<Record<string, readonly [reason: RefusalReason, message: string]>> = {
  FST_ERR_CTP_BODY_TOO_LARGE: ["request_too_large", "the body is too large"],
  FST_ERR_CTP_INVALID_MEDIA_TYPE: ["unsupported_media_type", "the body must have the content type application/json"],
  FST_ERR_CTP_INVALID_CONTENT_LENGTH: ["invalid_json", "the body is not as long as its content-length"],
  ECONNRESET: ["request_timeout", "the request was not sent whole"],
  FST_ERR_BAD_URL: [
    "malformed_request",
    "the address of the request is not valid: a `%` comes before two hexadecimal digits",
  ],
  FST_ERR_MAX_PARAM_LENGTH: ["url_too_long", "a part of the address is too long"],
};

/**
 * The refusal that an error means. Its cause is the error, if the server has to tell it in its log.
 * @param field where the client has sent what caused it, if the error's kind does not tell
 * @param busy what the error's code BUSY means there
 */
export function refusalFor(error: unknown, field?: string, busy?: RefusalReason): Refusal {
  if (error instanceof Refusal) return error;
  if (isOutOfResources(error))
    return new Refusal("out_of_resources", "the server has no file or no thread left for this request: try again", {
      retryAfter: WHEN_OUT,
      cause: error,
    });
  const {
    code,
    message = "",
    statusCode,
  } = (error ?? {}) as {
    readonly code?: string;
    readonly message?: string;
    readonly statusCode?: number;
  };
  const http = code === undefined ? undefined : HTTP[code];
  if (http) return new Refusal(http[0], http[1]);
  const known = code === "BUSY" && busy ? ([busy] as const) : CAUSES[code as InputErrorCode];
  if (known) {
    const [reason, usual]: readonly [RefusalReason, string?] = known;
    const param = field ?? usual;
    const own = OWN[reason];
    const retryAfter = RETRY_AFTER[reason];
    const text = own ?? (retryAfter === undefined ? message : `${message}: try again in ${retryAfter} s`);
    return new Refusal(reason, text, {
      ...(retryAfter !== undefined && { retryAfter }),
      ...(param !== undefined && { param }),
      ...(own !== undefined && { cause: error }),
    });
  }
  if (statusCode === 400) return new Refusal("invalid_json", message);
  return new Refusal("internal_error", "the server failed", { cause: error });
}
