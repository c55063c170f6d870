/** The files of a package of samplers that `ggsl init --library` writes. */

const SAMPLERS = `// What other programs import: samplers, functions, constants and chains, with their tests.
import { temp, dist } from "std"

/// Drop tokens that are far less likely than the likeliest one.
sampler near(
  /// the part of its probability that a token must have
  share: f32 in [0, 1] = 0.1,
) {
  keep prob >= share * max(prob)
}

/// A chain with a typical call, which the page of the package shows.
chain example(t: f32 >= 0 = 0.8) = near() |> temp(t) |> dist()

test "far tokens are dropped" {
  probs  [0.5, 0.3, 0.15, 0.04, 0.01]
  run    near(0.2)
  expect kept [0, 1, 2]
}

test "a share of 0 changes nothing" {
  probs  [0.5, 0.3, 0.2]
  run    near(0)
  expect probs [0.5, 0.3, 0.2]
}

test "the likeliest token stays" {
  probs  [0.5, 0.3, 0.2]
  run    near(1)
  expect kept [0]
}
`;

const readme = (name: string): string => `# ${name}

Samplers in [GGSL](https://www.npmjs.com/package/ggsl).

\`\`\`sh
npm install ${name}
\`\`\`

\`\`\`ggsl
import { near } from "${name}"
import { temp, dist } from "std"

chain mine() = near(0.2) |> temp(0.8) |> dist()
\`\`\`

| sampler | what it does |
| --- | --- |
| \`near(share)\` | drops tokens that are far less likely than the likeliest one |

\`npm test\` runs the tests in \`samplers.ggsl\`; who has installed the package runs them by \`npx ggsl test ${name}\`. \`npm pack\` writes
\`page.html\`, which shows the stages of the chain \`example\`, and puts it into the package.
`;

/** Texts by the names of the files, for a package of this name and a command of this version. */
export const libraryFiles = (name: string, version: string): Readonly<Record<string, string>> => ({
  "package.json": `${JSON.stringify(
    {
      name,
      version: "0.1.0",
      description: "Samplers in GGSL",
      keywords: ["ggsl", "sampler"],
      ggsl: "samplers.ggsl",
      files: ["*.ggsl", "page.html"],
      scripts: {
        test: "ggsl test samplers.ggsl",
        page: "ggsl explain samplers.ggsl example --html -o page.html",
        prepack: "npm test && npm run page",
      },
      devDependencies: { ggsl: `^${version}` },
    },
    undefined,
    2,
  )}\n`,
  "samplers.ggsl": SAMPLERS,
  "README.md": readme(name),
  ".gitignore": "node_modules/\npage.html\n",
});
