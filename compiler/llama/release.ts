/** The release of llama.cpp that this folder describes, and the npm package that contains it. */
export const RELEASE = {
  tag: "v0.5.0",
  /** The prefix of `llama_version()`. */
  version: "0.5.0",
  /** Version of node-llama-cpp and its platform packages; runtime/package.json also pins it. */
  package: "3.22.1",
} as const;
