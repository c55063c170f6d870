/** The samplers that pick a token, and xtc, whose draws show in what is picked after it. */
import { testSamplers } from "./suite.js";

testSamplers("samplers that pick", ["greedy", "dist", "temp dist", "xtc dist", "adaptive_p"]);
