/**
 * The commands by name. Each is loaded on demand, so that a quick one does not wait for the dependencies of the others; the list
 * that `--help` prints loads none.
 */
import { Command } from "commander";

interface Entry {
  readonly summary: string;
  /** It needs the options of all commands. */
  readonly needsAll?: true;
  /** Gives arguments, options and action to the command. */
  readonly load: () => Promise<(command: Command) => Command>;
}

export const COMMANDS: Readonly<Record<string, Entry>> = {
  init: {
    summary: "write a first program, with a test",
    load: async () => (await import("./commands/init.js")).addInit,
  },
  check: {
    summary: "print the diagnostics of all files",
    load: async () => (await import("./commands/check.js")).addCheck,
  },
  compile: {
    summary: "compile a chain to a graph",
    load: async () => (await import("./commands/compile.js")).addCompile,
  },
  eval: {
    summary: "evaluate a chain on given logits or probabilities",
    load: async () => (await import("./commands/eval.js")).addEval,
  },
  run: {
    summary: "generate text with a model",
    load: async () => (await import("./commands/run.js")).addRun,
  },
  compare: {
    summary: "compare the texts of several chains: variety, repetition, entropy, log-probability",
    load: async () => (await import("./commands/compare.js")).addCompare,
  },
  chat: {
    summary: "talk with an instruct model",
    load: async () => (await import("./commands/chat.js")).addChat,
  },
  serve: {
    summary: "serve a model by OpenAI's, Anthropic's and Ollama's APIs; requests bring their own samplers",
    load: async () => (await import("./commands/serve.js")).addServe,
  },
  worker: {
    summary: "lend devices of this machine to models that run on others",
    load: async () => (await import("./commands/worker.js")).addWorker,
  },
  test: {
    summary: "run the test blocks of files",
    load: async () => (await import("./commands/test.js")).addTest,
  },
  explain: {
    summary: "show each stage of a chain: ops, nodes, device, bytes read back",
    load: async () => (await import("./commands/explain.js")).addExplain,
  },
  gen: {
    summary: "write the chains of a file as a typed TypeScript module that needs no compiler",
    load: async () => (await import("./commands/gen.js")).addGen,
  },
  watermark: {
    summary: "keys of watermarks, and whether texts have one",
    load: async () => (await import("./commands/watermark.js")).addWatermark,
  },
  conform: {
    summary: "does another server sample as a chain says? A test of the tokens that it picks",
    load: async () => (await import("./commands/conform.js")).addConform,
  },
  trace: {
    summary: "show what each stage made of the tokens of a text",
    load: async () => (await import("./commands/trace.js")).addTrace,
  },
  fmt: {
    summary: "rewrite files in canonical form; comments are kept",
    load: async () => (await import("./commands/fmt.js")).addFmt,
  },
  lsp: {
    summary: "start the language server for editors, on standard input and output",
    load: async () => (await import("./commands/lsp.js")).addLsp,
  },
  devices: {
    summary: "list the devices that models and chains can run on, and the ops that each supports",
    load: async () => (await import("./commands/devices.js")).addDevices,
  },
  import: {
    summary: "convert the sampling settings of another tool to a program",
    load: async () => (await import("./commands/import.js")).addImport,
  },
  export: {
    summary: "convert a chain to settings of another tool, or print why that is impossible",
    load: async () => (await import("./commands/export.js")).addExport,
  },
  completion: {
    summary: "print a script that completes commands, options and values in a shell",
    needsAll: true,
    load: async () => (await import("./commands/completion.js")).addCompletion,
  },
};

/** The command with its arguments and options. Errors are thrown as the parent command throws them. */
export async function addCommand(parent: Command, name: string): Promise<Command> {
  const { summary, load } = COMMANDS[name]!;
  return (await load())(parent.command(name).description(summary));
}

/** The command as the list of all commands shows it. */
export const listCommand = (parent: Command, name: string): Command =>
  parent.command(name).description(COMMANDS[name]!.summary);
