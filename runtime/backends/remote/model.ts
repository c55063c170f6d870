/** A model on workers: the addon's interface, with the vocabulary here and the weights there. */
import type {
  ContextOptions,
  ModelBinding,
  ModelInfo,
  ModelOptions,
  NativeContext,
  NativeModel,
} from "../native/binding.js";
import { InputError } from "../../core/errors.js";
import { loadBinding } from "../native/loader.js";
import { RemoteProcess } from "./child.js";
import { REPORT, RemoteContext } from "./context.js";
import { graphsOf, type RemoteGraph } from "./graph.js";
import { greetAll } from "./handshake.js";
import { rpcLibrary } from "./library.js";
import type { Call } from "./protocol.js";
import type { Server } from "../devices/servers.js";
import { checkSplit } from "../devices/parts.js";

interface RemoteOptions {
  readonly servers: readonly Server[];
  /** Parts of the layers, one for each device of the workers. */
  readonly split?: readonly number[] | undefined;
  readonly gpuLayers: number;
}

/** The device that has the output layer, and with it the chains. */
interface RemotePlace {
  /** ggml's name. */
  readonly device: string;
  readonly server: Server;
}

export interface Remote {
  readonly native: NativeModel;
  readonly binding: ModelBinding;
  readonly place: RemotePlace;
  /** Resolves if its process ends. */
  readonly lost: Promise<InputError>;
}

/** Milliseconds that a load may stand still: while workers are added, and while weights are sent, of which one can be large. */
const STILL = { adding: 15_000, loading: 300_000 } as const;

type Watching = Pick<ModelOptions, "onProgress" | "onStart">;

/**
 * Loads a model onto workers, in a process of its own. Rejects with InputError (SERVER_UNAVAILABLE, LOST_SERVER), and with what the
 * addon's `loadModel` does.
 */
export async function openRemote(
  path: string,
  options: RemoteOptions,
  watching: Watching,
  still: { readonly adding: number; readonly loading: number } = STILL,
): Promise<Remote> {
  const library = rpcLibrary();
  const greeted = await greetAll(options.servers);
  const count = greeted.reduce((sum, { devices }) => sum + devices, 0);
  checkSplit(options.split, count);
  const binding = loadBinding();
  const vocabulary = await binding.loadModel(path, { gpuLayers: 0, vocabOnly: true });
  const process = new RemoteProcess(options.servers);
  watching.onStart?.(() => process.end());
  let timer: NodeJS.Timeout | undefined;
  const expect = (milliseconds: number): void => {
    clearTimeout(timer);
    timer = setTimeout(() => process.end(stoodStill(options.servers, milliseconds)), milliseconds);
  };
  try {
    expect(still.adding);
    const adding = options.servers.map(({ endpoint, kind }): Call => ({
      on: 0,
      call: "addWorker",
      args: [library, endpoint, kind],
    }));
    const added = (await process.ask(adding)) as readonly (readonly string[])[];
    const devices = added.flat();
    expect(still.loading);
    const handle = process.handle();
    const given = {
      gpuLayers: options.gpuLayers,
      devices,
      isWatched: true,
      ...(options.split && { split: Float32Array.from(options.split) }),
    };
    const [, info] = await process.ask(
      [
        { on: 0, call: "loadModel", args: [path, given], as: handle },
        { on: handle, call: "info" },
      ],
      (fraction) => {
        expect(still.loading);
        watching.onProgress?.(fraction);
      },
    );
    const { outputDevice } = info as ModelInfo;
    const owner = added.findIndex((names) => names.includes(outputDevice));
    return {
      native: new RemoteModel(process, handle, info as ModelInfo, vocabulary),
      binding: bindingOf(process),
      lost: process.lost,
      place: { device: outputDevice, server: options.servers[owner]! },
    };
  } catch (error) {
    process.end();
    vocabulary.dispose();
    throw error;
  } finally {
    clearTimeout(timer);
  }
}

function stoodStill(servers: readonly Server[], milliseconds: number): InputError {
  const which = servers.map(({ endpoint }) => endpoint).join(", ");
  return new InputError(
    `the load stood still for ${milliseconds / 1000} s: a worker does not answer any more, one of ${which}`,
    { code: "LOST_SERVER" },
  );
}

class RemoteModel implements NativeModel {
  constructor(
    private readonly process: RemoteProcess,
    private readonly handle: number,
    private readonly known: ModelInfo,
    /** The same file without its weights. */
    readonly vocabulary: NativeModel,
  ) {}

  get info(): ModelInfo {
    void this.vocabulary.info; // throws for a model that is disposed
    return this.known;
  }

  tokenize(text: string, addSpecial: boolean, parseSpecial: boolean): Int32Array {
    return this.vocabulary.tokenize(text, addSpecial, parseSpecial);
  }
  tokenizeLater(...given: Parameters<NativeModel["tokenizeLater"]>): Promise<Int32Array> {
    return this.vocabulary.tokenizeLater(...given);
  }
  piece(token: number, special: boolean): Uint8Array {
    return this.vocabulary.piece(token, special);
  }
  pieces(): ReturnType<NativeModel["pieces"]> {
    return this.vocabulary.pieces();
  }
  texts(): ReturnType<NativeModel["texts"]> {
    return this.vocabulary.texts();
  }
  classes(): Uint8Array {
    return this.vocabulary.classes();
  }
  isEnd(token: number): boolean {
    return this.vocabulary.isEnd(token);
  }

  async createContext({ chains, ...options }: ContextOptions): Promise<NativeContext> {
    const graphs = (chains ?? []).map((chain) => chain as RemoteGraph | null);
    const making = graphs.flatMap((graph) => graph?.made() ?? []);
    const handle = this.process.handle();
    const given = { ...options, ...(chains && { chains: graphs.map((graph) => graph && { $: graph.handle }) }) };
    const results = await this.process.ask([
      ...making,
      { on: this.handle, call: "createContext", args: [given], as: handle },
      { on: handle, call: "contextSize" },
      ...REPORT.map((call) => ({ on: handle, call })),
    ]);
    const [size, ...report] = results.slice(making.length + 1);
    return new RemoteContext(this.process, handle, size as number, report);
  }

  dispose(): void {
    this.process.end();
    this.vocabulary.dispose();
  }
}

/** Host tails need only the vocabulary. */
function bindingOf(process: RemoteProcess): ModelBinding {
  const binding = loadBinding();
  const here = (model: NativeModel): NativeModel => (model instanceof RemoteModel ? model.vocabulary : model);
  // a constructor that returns an object gives that object
  function Tail(stages: ConstructorParameters<typeof binding.Tail>[0], model?: NativeModel): unknown {
    return new binding.Tail(stages, model && here(model));
  }
  return {
    Graph: graphsOf(process),
    TokenTrie: binding.TokenTrie,
    Automaton: binding.Automaton,
    openAutomaton: (trie, words) => binding.openAutomaton(trie, words),
    Tail: Tail as unknown as ModelBinding["Tail"],
  };
}
