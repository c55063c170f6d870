/**
 * The demo model, for the tests that run it. Variants of ggml's CPU backend round differently, so its logits differ from processor
 * to processor: `npm test` runs all tests that depend on this file again with other variants. Those to which that cannot matter
 * import file.ts.
 */
export { DEMO_MODEL, endless, EXACT, loadExactModel, writeExactModel } from "./file.js";
