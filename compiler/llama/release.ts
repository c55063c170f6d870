/** The release of llama.cpp that everything here is written for, and the npm package that brings it. */
export const RELEASE = {
  tag: "v0.5.0",
  /** What `llama_version()` begins with. */
  version: "0.5.0",
  /** Of node-llama-cpp and of its platform packages; runtime/package.json pins it, too. */
  package: "3.22.1",
} as const;
