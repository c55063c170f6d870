/** What the page and its worker tell each other. */

export type Question =
  /** First: a GGUF file, and the WebAssembly module with llama.cpp. */
  { readonly model: Uint8Array; readonly module: Uint8Array } | { readonly program: string; readonly prompt: string };

export type Answer =
  /** A token: its text, and the logarithm of its probability in the model. */
  | { readonly text: string; readonly logprob: number }
  /** The text has ended, or could not be written: how, or why not. */
  | { readonly done: string };
