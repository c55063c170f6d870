/** The samplers that change logits, by numbers, biases and the text so far. */
import { testSamplers } from "./suite.js";

testSamplers("samplers that change logits", [
  "temp",
  "temp_ext",
  "xtc",
  "logit_bias",
  "penalties",
  "dry",
  "penalties dist",
  "dry dist",
]);
