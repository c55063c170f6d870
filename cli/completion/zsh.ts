/** The completion script for zsh: to be evaluated, or a file `_ggsl` in a folder of `$fpath`. */
import { TOP, type Completed, type Flag, type Listed } from "./tree.js";

export const zshScript = (commands: readonly Listed[]): string => `#compdef ggsl
# zsh completion for ggsl, printed by \`ggsl completion zsh\`

_ggsl() {
  local context state state_descr line
  typeset -A opt_args
  if (( CURRENT == 2 )); then
    local -a commands=(
${commands.map(({ name, about }) => `      ${quoted(`${name}:${about}`)}\n`).join("")}    )
    _describe command commands
    compadd -- ${TOP.join(" ")}
    return
  fi
  shift words
  (( CURRENT-- ))
  case $words[1] in
${commands.map(caseOf).join("")}  esac
}

if [[ $funcstack[1] == _ggsl ]]; then _ggsl "$@"; else compdef _ggsl ggsl; fi
`;

function caseOf({ name, flags, args, isRepeated }: Listed): string {
  const places = args.map((values, i) => {
    const place = isRepeated && i === args.length - 1 ? "*" : `${i + 1}`;
    return quoted(`${place}:${values && "folders" in values ? "folder" : "file"}:${actionOf(values)}`);
  });
  const specs = [...flags.flatMap(flagSpecs), ...places];
  return `    ${name})
      _arguments -s ${specs.map((spec) => `\\\n        ${spec}`).join(" ")}
      ;;
`;
}

/** The options may be repeated. */
function flagSpecs({ short, long, about, value, values }: Flag): string[] {
  const text = about.replace(/[[\]\\]/g, "\\$&");
  const rest = value === undefined ? "" : `:${escaped(value)}:${actionOf(values)}`;
  const names = short === undefined ? [long] : [short, long];
  return names.map((name) => quoted(`*${name}${value !== undefined && name === long ? "=" : ""}[${text}]${rest}`));
}

function actionOf(values: Completed | undefined): string {
  if (!values) return " ";
  if ("folders" in values) return "_files -/";
  if ("files" in values) return values.files.length === 0 ? "_files" : `_files -g "${patternOf(values.files)}"`;
  return values.isList ? `_values -s , value ${values.words.join(" ")}` : `(${values.words.join(" ")})`;
}

/** One name in brackets would be a qualifier. */
const patternOf = (extensions: readonly string[]): string =>
  extensions.length === 1 ? `*.${extensions[0]!}` : `*.(${extensions.join("|")})`;

const escaped = (text: string): string => text.replaceAll(":", "\\:");
const quoted = (text: string): string => `'${text.replaceAll("'", "'\\''")}'`;
