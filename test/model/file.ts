/** The demo model's file, for tests that read it or run it in WebAssembly; those that run it natively import demo.ts. */
export const DEMO_MODEL = process.env["GGSL_DEMO_MODEL"] ?? "examples/model/demo-q8_0.gguf";
