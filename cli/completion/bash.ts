/** The completion script for bash 4 and newer. */
import { TOP, type Completed, type Flag, type Listed } from "./tree.js";

const FUNCTIONS = `# bash completion for ggsl, printed by \`ggsl completion bash\`

_ggsl_words() {
  local IFS=$' \\t\\n'
  COMPREPLY=( $(compgen -W "$1" -- "$cur") )
}

# the last item of a comma-separated list
_ggsl_list() {
  local IFS=$' \\t\\n' before=""
  [[ $cur == *,* ]] && before="\${cur%,*},"
  COMPREPLY=( $(compgen -P "$before" -W "$1" -- "\${cur##*,}") )
}

# folders, and files with these extensions; without extensions all files
_ggsl_files() {
  local IFS=$'\\n' extension
  compopt -o filenames 2> /dev/null
  if (( $# == 0 )); then COMPREPLY=( $(compgen -f -- "$cur") ); return; fi
  COMPREPLY=( $(compgen -d -- "$cur") )
  for extension; do COMPREPLY+=( $(compgen -f -X "!*.$extension" -- "$cur") ); done
}

_ggsl_folders() {
  local IFS=$'\\n'
  compopt -o filenames 2> /dev/null
  COMPREPLY=( $(compgen -d -- "$cur") )
}

# how many arguments come before this word; the options in $1 take a value
_ggsl_arguments() {
  local i count=0
  for (( i = 2; i < COMP_CWORD; i++ )); do
    if [[ " $1 " == *" \${COMP_WORDS[i]} "* ]]; then
      (( i++ ))
      if [[ \${COMP_WORDS[i]} == = ]]; then (( i++ )); fi
    elif [[ \${COMP_WORDS[i]} != -?* ]]; then (( count++ ))
    fi
  done
  argument=$count
}
`;

export const bashScript = (commands: readonly Listed[]): string => `${FUNCTIONS}
_ggsl() {
  local cur=\${COMP_WORDS[COMP_CWORD]} prev=\${COMP_WORDS[COMP_CWORD-1]} argument
  COMPREPLY=()
  # --option=value is three words
  if [[ $cur == = ]]; then cur=""
  elif [[ $prev == = ]]; then prev=\${COMP_WORDS[COMP_CWORD-2]}
  fi
  if (( COMP_CWORD == 1 )); then
    _ggsl_words "${[...commands.map(({ name }) => name), ...TOP].join(" ")}"
    return
  fi
  case \${COMP_WORDS[1]} in
${commands.map(caseOf).join("")}  esac
}

complete -F _ggsl ggsl
`;

function caseOf({ name, flags, args, isRepeated }: Listed): string {
  const taking = flags.filter(({ value }) => value !== undefined);
  const values = taking.map((flag) => `        ${namesOf(flag).join("|")}) ${callOf(flag.values)}; return ;;\n`);
  const places = args.map((values, i) => {
    const place = isRepeated && i === args.length - 1 ? "*" : `${i}`;
    return `        ${place}) ${callOf(values)} ;;\n`;
  });
  const names = taking.flatMap(namesOf).join(" ");
  return `    ${name})
${values.length > 0 ? `      case $prev in\n${values.join("")}      esac\n` : ""}      if [[ $cur == -* ]]; then _ggsl_words "${flags.flatMap(namesOf).join(" ")}"; return; fi
${places.length > 0 ? `      _ggsl_arguments "${names}"\n      case $argument in\n${places.join("")}      esac\n` : ""}      ;;
`;
}

const namesOf = ({ short, long }: Flag): string[] => [...(short === undefined ? [] : [short]), long];

function callOf(values: Completed | undefined): string {
  if (!values) return ":";
  if ("folders" in values) return "_ggsl_folders";
  if ("files" in values) return ["_ggsl_files", ...values.files].join(" ");
  return `${values.isList ? "_ggsl_list" : "_ggsl_words"} "${values.words.join(" ")}"`;
}
