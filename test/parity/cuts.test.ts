/** The samplers that drop rows by their logits or probabilities. */
import { testSamplers } from "./suite.js";

testSamplers("samplers that cut", ["top_k", "top_p", "min_p", "typical", "top_n_sigma"]);
