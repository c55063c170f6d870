import tseslint from "typescript-eslint";

export default tseslint.config(
  {
    ignores: [
      "node_modules/",
      "**/dist/",
      "build/",
      "coverage/",
      "**/*.generated.ts",
      "runtime/grammars/xgrammar/*.mjs",
      "**/*.ggsl.d.ts",
      "examples/typed-app/node/chains.ts",
      "examples/model/",
    ],
  },
  { files: ["**/*.{js,mjs}"], extends: [tseslint.configs.strict, tseslint.configs.stylistic] },
  {
    files: ["**/*.ts"],
    extends: [tseslint.configs.strictTypeChecked, tseslint.configs.stylisticTypeChecked],
    languageOptions: { parserOptions: { projectService: true, tsconfigRootDir: import.meta.dirname } },
    rules: {
      // noUncheckedIndexedAccess requires it wherever an index is known to be valid
      "@typescript-eslint/no-non-null-assertion": "off",
      "@typescript-eslint/no-unused-vars": ["error", { argsIgnorePattern: "^_", varsIgnorePattern: "^_" }],
      "@typescript-eslint/restrict-template-expressions": ["error", { allowNumber: true, allowBoolean: true }],
      "@typescript-eslint/dot-notation": ["error", { allowIndexSignaturePropertyAccess: true }],
      // `return report(...)` ends a function early in one line
      "@typescript-eslint/no-confusing-void-expression": "off",
      // it trusts types, even for values from outside or that change concurrently
      "@typescript-eslint/no-unnecessary-condition": "off",
      "@typescript-eslint/no-unnecessary-boolean-literal-compare": "off",
      // a type parameter may give the type of a cast
      "@typescript-eslint/no-unnecessary-type-parameters": "off",
      "@typescript-eslint/no-unnecessary-type-conversion": "off",
      // recursive types cannot be records
      "@typescript-eslint/consistent-indexed-object-style": "off",
      "@typescript-eslint/prefer-nullish-coalescing": "off",
    },
  },
  {
    files: ["**/*.test.ts"],
    rules: {
      "@typescript-eslint/unbound-method": "off",
      "@typescript-eslint/use-unknown-in-catch-callback-variable": "off",
    },
  },
);
