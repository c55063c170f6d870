/**
 * The code of every error that a public function throws, or the command line prints. Codes are stable: they are for programs,
 * messages for people. docs/errors.md is generated from this table.
 */

interface ErrorCode {
  /** The classes whose errors have it. */
  readonly classes: readonly ErrorClass[];
  /** When it happens. */
  readonly when: string;
  /** What to do. */
  readonly fix: string;
}

/** The classes of errors, and what they are about. */
export const ERROR_CLASSES = {
  InputError: "an invalid value, file or device, or a call at the wrong time (`ggsl`)",
  ModelError: "an `InputError` about a model file (`ggsl`)",
  AbortError: "an operation whose `AbortSignal` was aborted (`ggsl`); not an `InputError`",
  CompileError: "a program with errors (`ggsl`, `@ggsl/compiler`); `diagnostics` has each with its own code",
  SpecError: "an invalid graph spec (`ggsl`, `@ggsl/compiler`); `faults` lists what is wrong",
  OptionError:
    "an invalid or unknown option of the compiler (`@ggsl/compiler`), or an unknown one of the packages above it; a `RangeError`",
  EmitError:
    "a graph without an equivalent in another runtime's form (`@ggsl/compiler`); `faults` names each stage that prevents it",
  OnnxModelError: "an ONNX model that a chain cannot be appended to (`@ggsl/compiler`, `ggsl/onnx`)",
  UnreadableFile: "a file that is not read (`@ggsl/compiler`)",
  ImportError: "settings that cannot be imported (`@ggsl/settings`)",
  ExportError: "a chain that cannot be exported (`@ggsl/settings`); `reasons` names each stage that prevents it",
  UsageError: "wrong usage of the command line; exit status 2",
} as const;

export type ErrorClass = keyof typeof ERROR_CLASSES;

export const ERROR_CODES = {
  INVALID_ARGUMENT: {
    classes: ["InputError"],
    when: "an argument, an option or a value in it has the wrong type or is outside its range, or a name does not exist",
    fix: "pass what the message expects",
  },
  LIMIT_EXCEEDED: {
    classes: ["InputError"],
    when: "an input is larger than a limit, which the message names",
    fix: "make the input smaller; [security.md](security.md) lists the limits",
  },
  CONTEXT_FULL: {
    classes: ["InputError"],
    when: "the context has no room for the prompt, or for the next token of a sequence",
    fix: "shorten the prompt or the conversation, or set a larger `contextSize`",
  },
  INVALID_LOGITS: {
    classes: ["InputError"],
    when: "the model, or a chain, made a logit that is NaN or +inf, or sampled a token outside the vocabulary",
    fix: "check the chain's numbers with `ggsl eval`; if the model alone does it, its file is damaged",
  },
  NO_CANDIDATE: {
    classes: ["InputError"],
    when: "a host tail leaves no token to pick from",
    fix: "loosen the stages of the host tail",
  },
  NOT_A_CANDIDATE: {
    classes: ["InputError"],
    when: "a token is accepted that the chain has dropped, or of which that is not known, and states are computed from the picked row",
    fix: "accept a token that is left; to know which, evaluate `chain.rowsGraph`",
  },
  UNREADABLE_FILE: {
    classes: ["InputError", "UnreadableFile"],
    when: "a file does not exist, is a folder or too large, or may not be read",
    fix: "check the path and its permissions",
  },
  NO_FILES: {
    classes: ["InputError"],
    when: "a folder or a glob on the command line has no program",
    fix: "check the path; `node_modules` and names that begin with a dot are skipped; quote globs",
  },
  FILE_EXISTS: {
    classes: ["InputError"],
    when: "`ggsl init` would overwrite a file",
    fix: "choose another folder, or remove the file",
  },
  UNWRITABLE_FILE: {
    classes: ["InputError"],
    when: "a file, or standard output, cannot be written",
    fix: "check the path, its permissions and the free space",
  },
  INVALID_FILE: {
    classes: ["InputError"],
    when: "a file is read, and its content does not have the expected form",
    fix: "convert the file to the form that the message names",
  },
  OUT_OF_DATE: {
    classes: ["InputError"],
    when: "`ggsl gen --check` finds a module that differs from the program",
    fix: "run the command in the message",
  },
  INVALID_TEST: {
    classes: ["InputError"],
    when: "a `test` block lacks a part, or its parts contradict each other",
    fix: "change the block as the message says; [testing.md](testing.md) describes its parts",
  },
  INVALID_GRAPH: {
    classes: ["InputError"],
    when: "a graph is not valid for the native runtime",
    fix: "compile the program again with the same version of the packages",
  },
  INVALID_SCHEMA: {
    classes: ["InputError"],
    when: "the file of `--json-schema` is not a JSON schema",
    fix: "give a file with a JSON object or a boolean",
  },
  UNENFORCED_KEYWORD: {
    classes: ["InputError"],
    when: "a JSON schema has a keyword that the grammar cannot enforce",
    fix: "omit the keyword, or list it in `ignore`; [grammars.md](grammars.md) lists those that are enforced",
  },
  UNKNOWN_RULE: {
    classes: ["InputError"],
    when: "a chain asks about a rule that the grammar of the request has not",
    fix: "use one of the names that the message lists; [grammars.md](grammars.md#rules-that-programs-ask-about) says what they are",
  },
  NOT_TRACED: {
    classes: ["InputError"],
    when: "a trace is asked for of a chain that is a compiled graph, which was compiled without one",
    fix: "compile the program with `trace: true`; [traces.md](traces.md) says more",
  },
  MISSING_GRAMMAR: {
    classes: ["InputError"],
    when: "the chain has a grammar parameter, and the request gives no grammar",
    fix: "give one in `uniforms`, or with `--grammar` or `--json-schema`",
  },
  MISSING_INPUT: {
    classes: ["InputError"],
    when: "the chain reads an input, or the logits of another sequence, that was not given",
    fix: "give it in `feed.inputs` or in `guides`",
  },
  MISSING_VOCABULARY: {
    classes: ["InputError"],
    when: "the chain has a text or a grammar, and there is no vocabulary to turn it into tokens",
    fix: "give `feed.vocabulary` (`--vocab`), use a model, or give token ids",
  },
  NO_TEMPLATE: {
    classes: ["InputError"],
    when: "a conversation is rendered, and the model has no chat template",
    fix: "use an instruct model, or give `template`",
  },
  INVALID_TEMPLATE: {
    classes: ["InputError"],
    when: "a chat template is not Jinja, or there is none of that name",
    fix: "correct the template, or choose another",
  },
  TEMPLATE_REFUSED: {
    classes: ["InputError"],
    when: "a chat template refuses the conversation",
    fix: "change the messages as the template's own text says",
  },
  TEMPLATE_FAILED: {
    classes: ["InputError"],
    when: "an operation in a chat template fails",
    fix: "correct the template, or give the variables that it reads",
  },
  SPECULATION_UNSUPPORTED: {
    classes: ["InputError"],
    when: "the chain or the model does not support drafts",
    fix: "omit `speculate`; [speculation.md](speculation.md) lists what supports it",
  },
  VOCABULARY_MISMATCH: {
    classes: ["InputError"],
    when: "the draft model has other tokens than the model",
    fix: "use a draft model with the same vocabulary, or `ngram`",
  },
  NO_DEVICE: {
    classes: ["InputError"],
    when: "the backend is not available here, or has no such device",
    fix: "follow the steps in the message; `ggsl devices` lists what is there",
  },
  UNSUPPORTED_OP: {
    classes: ["InputError"],
    when: "the device cannot run an op of the chain, and `strict` is set",
    fix: "choose another device, or omit `strict`",
  },
  UNSUPPORTED: {
    classes: ["InputError"],
    when: "this platform, or this form of the function, does not support what is asked for",
    fix: "use what the message names",
  },
  NATIVE_UNAVAILABLE: {
    classes: ["InputError"],
    when: "the native addon is not there, or does not load",
    fix: "follow the steps in the message",
  },
  MODULE_UNAVAILABLE: {
    classes: ["InputError"],
    when: "a WebAssembly module is not there, or does not load",
    fix: "follow the steps in the message",
  },
  ADDRESS_UNAVAILABLE: {
    classes: ["InputError"],
    when: "`ggsl serve` or `ggsl worker` cannot listen at its address and port",
    fix: "choose another `--port`, `--host` or `--listen`, or end the program that has it",
  },
  SERVER_UNAVAILABLE: {
    classes: ["InputError"],
    when: "a worker that `servers` or `--rpc` names does not answer, not as a worker, or of another version of the protocol; or a server that `ggsl conform` asks does not answer",
    fix: "start it at that address, a worker by `ggsl worker` of the same version; a worker serves one program at a time",
  },
  NO_LOGPROBS: {
    classes: ["InputError"],
    when: "`ggsl conform` asks a server for log-probabilities, and it gives none, or fewer than the chain needs",
    fix: "as the message says; [conformance.md](conformance.md) has what servers and chains must be",
  },
  UNEXPECTED_ANSWER: {
    classes: ["InputError"],
    when: "a server that `ggsl conform` asks refuses the request, or does not answer in the form of OpenAI's completions",
    fix: "check the address, and the fields of `--field`",
  },
  LOST_SERVER: {
    classes: ["InputError"],
    when: "a worker ended, or the connection to it, while the model used it; what was generated until then is kept",
    fix: "start the worker and load the model again; `ggsl serve` loads it again by itself",
  },
  MISSING_PACKAGE: {
    classes: ["InputError"],
    when: "a command needs a package that is not installed, such as `@ggsl/server` of `ggsl serve`, or names one",
    fix: "run the command in the message",
  },
  OUT_OF_MEMORY: {
    classes: ["InputError"],
    when: "the device or the process has no memory for a model, a context or a graph",
    fix: "use a smaller context or model, fewer sequences, or quantized cache types",
  },
  COMPUTE_FAILED: {
    classes: ["InputError"],
    when: "the device failed while it computed, or returned an impossible result",
    fix: "try again; try another backend if it is repeated",
  },
  ENGINE_FAILED: {
    classes: ["InputError"],
    when: "the grammar engine, or a worker, ended",
    fix: "try again, with a simpler grammar if it is repeated",
  },
  NOT_READY: {
    classes: ["InputError"],
    when: "something must be done or awaited first, which the message names",
    fix: "do it first",
  },
  BUSY: {
    classes: ["InputError"],
    when: "another operation on the object is not done yet, or too many wait",
    fix: "await it first, or try again",
  },
  ENDED: {
    classes: ["InputError"],
    when: "the generation has ended",
    fix: "start another one, with `resume` to go on",
  },
  DISPOSED: {
    classes: ["InputError"],
    when: "the object was disposed",
    fix: "open a new one, or dispose it later",
  },
  INVALID_MODEL: {
    classes: ["ModelError", "InputError"],
    when: "llama.cpp, or a check before it, refuses a model file",
    fix: "download the file again, or convert it with the pinned version of llama.cpp",
  },
  MODEL_CRASH: {
    classes: ["ModelError"],
    when: "a process that tried a model file crashed or was killed",
    fix: "use another file",
  },
  ABORTED: {
    classes: ["AbortError", "InputError"],
    when: "an `AbortSignal` without a reason of its own was aborted, or the command was interrupted",
    fix: "nothing: it was asked for",
  },
  INVALID_PROGRAM: {
    classes: ["CompileError"],
    when: "a program has errors",
    fix: "read `diagnostics`: each names its place, its own code (such as `E0101`) and often a fix",
  },
  INVALID_SPEC: {
    classes: ["SpecError"],
    when: "a graph spec (`*.graph.json`) is not valid",
    fix: "compile the program again; [graph.md](graph.md) describes the form",
  },
  INVALID_OPTION: {
    classes: ["OptionError"],
    when: "an option of the compiler has the wrong type or is outside its range, or a name does not exist",
    fix: "pass what the message expects",
  },
  INVALID_SETTINGS: {
    classes: ["ImportError"],
    when: "the settings of another tool cannot be read, or name no chain",
    fix: "correct the settings at the place in the message, or name the tool with `--from`",
  },
  NO_EQUIVALENT: {
    classes: ["ExportError"],
    when: "another tool has no settings for a chain",
    fix: "change the stages that `reasons` names",
  },
  NOT_EMITTED: {
    classes: ["EmitError"],
    when: "a chain has no equivalent in the form of `ggsl compile --emit`",
    fix: "change what `faults` names; [runtimes.md](runtimes.md) lists what other runtimes run",
  },
  INVALID_ONNX: {
    classes: ["OnnxModelError"],
    when: "the file of `ggsl compile --into` is no ONNX model, or damaged",
    fix: "give an ONNX model, or download it again",
  },
  UNSUITABLE_ONNX: {
    classes: ["OnnxModelError"],
    when: "the model of `ggsl compile --into` is no language model, has operators of another version, or has a sampler already",
    fix: "change the model as the message says; [runtimes.md](runtimes.md) lists what is expected",
  },
  USAGE: {
    classes: ["UsageError"],
    when: "the command line has an unknown command or option, an invalid value, or arguments that contradict each other",
    fix: "read `ggsl COMMAND --help`",
  },
  INTERNAL: {
    classes: [],
    when: "the command line failed because of a fault of its own",
    fix: "report it, with the command line and the files",
  },
} as const satisfies Readonly<Record<string, ErrorCode>>;

type CodesOf<Class extends ErrorClass> = {
  readonly [Code in keyof typeof ERROR_CODES]: Class extends (typeof ERROR_CODES)[Code]["classes"][number]
    ? Code
    : never;
}[keyof typeof ERROR_CODES];

/** The codes of `InputError`, with those of `ModelError`. */
export type InputErrorCode = CodesOf<"InputError"> | ModelErrorCode;
/** The codes of `ModelError`. */
export type ModelErrorCode = CodesOf<"ModelError">;
