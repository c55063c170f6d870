/** The playground's examples compile, and their lines fit into its editor. */
import { expect, test } from "@jest/globals";
import { checkProgram } from "../../compiler/driver.js";
import { EXAMPLES } from "../../playground/state/examples.js";

/** The characters of a line in the editor on a screen of 1280 pixels. */
const WIDTH = 62;

test.each(EXAMPLES.map(({ title, text }) => [title, text]))("%s", (_, text) => {
  expect(checkProgram({ name: "example.ggsl", text })).toEqual([]);
  expect(text.split("\n").filter((line) => line.length > WIDTH)).toEqual([]);
});
