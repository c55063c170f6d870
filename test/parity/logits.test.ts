/** The samplers that change logits, by numbers, biases and the text so far. */
import { GROUPS } from "./groups.js";
import { testSamplers } from "./suite.js";

testSamplers("samplers that change logits", GROUPS.logits);
