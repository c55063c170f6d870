/**
 * Requests that are refused: one class, whose `body` is an error in OpenAI's form, and one table of the reasons. A reason is also a
 * label of the metric of refused requests.
 */
import type { SamplerDiagnostic } from "./samplers/types.js";

type ErrorType =
  "invalid_request_error" | "authentication_error" | "permission_error" | "rate_limit_error" | "server_error";

interface Reason {
  /** The status of the answer. */
  readonly status: number;
  /** OpenAI's `error.type`. */
  readonly type: ErrorType;
  /** When it happens. */
  readonly when: string;
  /** What the client does. */
  readonly fix: string;
}

const invalid = <Status extends number = 400>(when: string, fix: string, status: Status = 400 as Status) => ({
  status,
  type: "invalid_request_error" as const,
  when,
  fix,
});
const busy = (when: string) => ({
  status: 429 as const,
  type: "rate_limit_error" as const,
  when,
  fix: "wait as many seconds as the header `retry-after` says",
});
const failed = <Status extends number>(status: Status, when: string, fix: string) => ({
  status,
  type: "server_error" as const,
  when,
  fix,
});

/**
 * The status and type of each reason; its name is OpenAI's `error.code`. docs/server.md lists them from this table.
 */
export const REFUSALS = {
  invalid_request: invalid(
    "a field has the wrong type, is outside its range, or contradicts another",
    "send what the message expects",
  ),
  invalid_json: invalid("the body is not JSON", "send one JSON object"),
  missing_required_parameter: invalid("a required field is absent", "send the field that `param` names"),
  unknown_parameter: invalid(
    "the body has a field that neither the API of its path nor this server has",
    "omit it, or start the server with `--lenient`, which ignores it and says so in the header `x-ggsl-ignored`",
  ),
  unsupported_parameter: invalid(
    "a field of the API asks for what this server does not do",
    "omit it, or start the server with `--lenient`; the message has the reason",
  ),
  parameter_not_in_sampler: invalid(
    "a field such as `temperature` is given, and the chain that writes the text has no uniform of that name",
    "declare a parameter of that name in the chain, or omit the field",
  ),
  request_too_complex: invalid(
    "the body exceeds a [limit](#limits-of-a-request) of its shape",
    "send less, or flatter: the message has the limit and its field",
  ),
  request_too_large: invalid("the body has more bytes than are allowed", "send less", 413),
  url_too_long: invalid("the address has more characters than are allowed", "send the fields in the body", 414),
  headers_too_large: invalid("the headers have more bytes than are allowed", "send fewer, or shorter ones", 431),
  malformed_request: invalid("what was sent is not HTTP, or its address is not a valid one", "send HTTP/1.1"),
  expectation_failed: invalid("the header `expect` asks for what the server does not do", "omit the header", 417),
  request_timeout: invalid("the request is not sent in time", "send it faster", 408),
  unsupported_media_type: invalid("the body is not declared as JSON", "send `content-type: application/json`", 415),
  unknown_route: invalid("there is no such path", "`/openapi.json` lists the paths", 404),
  method_not_allowed: invalid("the path takes another method", "use a method that the header `allow` lists", 405),
  unknown_model: invalid(
    "the server has another model",
    "use a name that `/v1/models` lists, omit `model`, or start the server with `--lenient`",
    404,
  ),
  context_length_exceeded: invalid(
    "the prompt leaves no room for a token",
    "shorten it, or start the server with a larger `--ctx-size`",
  ),
  no_chat_template: invalid(
    "the model has no chat template",
    "use `/v1/completions`, or start the server with `--template FILE`",
  ),
  invalid_messages: invalid("the model's chat template refuses the conversation", "change it as the message says"),
  unsupported_tools: invalid(
    "tools are given, and the model's chat template shows none, or writes calls in a form that is not known",
    "use another model or template, or describe the tools in a message",
  ),
  /** A program, a pipeline or a spec with errors; `diagnostics` has them. */
  invalid_sampler: invalid(
    "a program, a pipeline or a spec has errors",
    "read `diagnostics`: each has its place and code",
  ),
  /** A name or an id that the server does not have. */
  unknown_sampler: invalid("a name or an id that the server does not have", "send the source", 404),
  sampler_too_large: invalid("the sampler has too many characters", "shorten it"),
  /** It compiles, and a token would cost more than the server or the key allows. */
  sampler_too_costly: invalid(
    "a token would cost more than the server or the key allows",
    "use fewer or cheaper stages; `ggsl explain` shows the cost of each",
  ),
  sampler_failed: invalid(
    "the chain leaves no candidate, or makes a logit that is NaN or +inf",
    "check the chain's numbers with `ggsl eval`",
  ),
  /** The compiler took more time or memory than it may. */
  compile_limit: invalid("the compiler needs more time or memory than it may have", "simplify the sampler"),
  /** The compiler failed, also when it was tried again. */
  compile_failed: failed(500, "the compiler failed, also when it was tried again", "report it with the sampler"),
  /** Too many programs wait for the compiler. */
  compiler_busy: busy("too many programs wait for the compiler"),
  grammars_busy: busy("too many grammars of the client, or of all, wait to be prepared"),
  tokenizer_busy: busy("too many texts of the client, or of all, wait to become tokens"),
  invalid_api_key: {
    status: 401,
    type: "authentication_error",
    when: "the key is absent or not known",
    fix: "send the header `authorization: Bearer KEY`, or `x-api-key: KEY`",
  },
  host_not_allowed: {
    status: 403,
    type: "permission_error",
    when: "the server listens for this machine alone, and the request names another one: a page may have made its own name mean this machine",
    fix: "ask for localhost, or start the server with `--allow-host NAME`",
  },
  rate_limit_exceeded: busy("the key has used its tokens of a minute"),
  queue_full: busy("too many requests wait for a place"),
  too_many_connections: busy("the address of the client has too many connections"),
  too_many_bytes: busy("the requests of the client that are not answered have too many bytes"),
  server_full: failed(
    503,
    "all clients together have too many connections, or bytes of requests that are not answered",
    "wait as many seconds as the header `retry-after` says",
  ),
  out_of_resources: failed(503, "the server has no file or no thread left for the request", "try again"),
  shutting_down: failed(503, "the server ends", "send the request to another server"),
  model_failed: failed(500, "the device failed, or has no memory", "try again; the server's log says more"),
  model_lost: failed(
    503,
    "a worker with a part of the model was lost while the text was written",
    "send the request again: it waits until the model is loaded again",
  ),
  model_unavailable: failed(
    503,
    "of several models, the process of the one that is asked for cannot load it, or has ended",
    "wait as many seconds as the header `retry-after` says; the server's log says why",
  ),
  internal_error: failed(500, "a fault of the server", "report it; the server's log says more"),
} as const satisfies Readonly<Record<string, Reason>>;

export type RefusalReason = keyof typeof REFUSALS;

interface RefusalDetails {
  /** The member of the request that is wrong, such as `sampler`. */
  readonly param?: string;
  readonly diagnostics?: readonly SamplerDiagnostic[];
  /** Seconds after which the client should try again: the header Retry-After. */
  readonly retryAfter?: number;
  readonly cause?: unknown;
}

/** The body of an answer that refuses. */
interface RefusalBody {
  readonly error: {
    readonly message: string;
    readonly type: Reason["type"];
    readonly param: string | null;
    readonly code: string;
    /** Of the first error of a program, from 1; columns count UTF-16 code units. */
    readonly line?: number;
    readonly column?: number;
    readonly diagnostics?: readonly SamplerDiagnostic[];
    /** Of what was read as a request. */
    readonly request_id?: string;
  };
}

/** Characters: what is longer holds the client's own text, and is cut. */
const LONGEST = { message: 2000, param: 256 } as const;

const cut = (text: string, longest: number): string =>
  text.length > longest ? `${text.slice(0, longest - 3)}...` : text;

/** A request that is refused. The message is for the client: it contains nothing of the server. */
export class Refusal extends Error {
  override readonly name = "Refusal";
  readonly status: number;
  readonly type: Reason["type"];
  readonly param: string | undefined;
  readonly diagnostics: readonly SamplerDiagnostic[] | undefined;
  readonly retryAfter: number | undefined;

  constructor(
    readonly reason: RefusalReason,
    message: string,
    { param, diagnostics, retryAfter, cause }: RefusalDetails = {},
  ) {
    super(cut(message, LONGEST.message), cause === undefined ? undefined : { cause });
    ({ status: this.status, type: this.type } = REFUSALS[reason]);
    this.param = param && cut(param, LONGEST.param);
    this.diagnostics = diagnostics;
    this.retryAfter = retryAfter;
  }

  /** OpenAI's `error.code`. */
  get code(): RefusalReason {
    return this.reason;
  }

  /** The headers of the answer. */
  get headers(): Readonly<Record<string, string>> {
    return this.retryAfter === undefined ? {} : { "retry-after": String(this.retryAfter) };
  }

  /** The body of the answer, in OpenAI's form. */
  get body(): RefusalBody {
    const { message, type, param, code, diagnostics, first } = this;
    const place = first?.line === undefined ? {} : { line: first.line, column: first.column! };
    return { error: { message, type, param: param ?? null, code, ...place, ...(diagnostics && { diagnostics }) } };
  }

  /** The same with the id of the request. */
  bodyFor(request: string): RefusalBody {
    return { error: { ...this.body.error, request_id: request } };
  }

  private get first(): SamplerDiagnostic | undefined {
    return this.diagnostics?.find(({ severity }) => severity === "error");
  }
}

/** A part of a body that is absent. */
export const missing = (param: string, expected: string): Refusal =>
  new Refusal("missing_required_parameter", `missing parameter \`${param}\`: expected ${expected}`, { param });

/** A part of a body that is not done; what follows its name says why. */
export const unsupported = (param: string, why: string): Refusal =>
  new Refusal("unsupported_parameter", `\`${param}\` ${why}`, { param });

/** @param retryAfter seconds */
export const shuttingDown = (retryAfter?: number): Refusal =>
  new Refusal("shutting_down", "the server is shutting down", { ...(retryAfter !== undefined && { retryAfter }) });
