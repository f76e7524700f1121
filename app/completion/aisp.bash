# Completion of aisp in bash, printed by `aisp completion bash`. For this shell:
#   source <(aisp completion bash)

# Command, option and what it takes: literal words, @files, @folders, @targets, @chapters, @commands, @any; a flag
# takes nothing. Lines without an option are about a command's arguments, those without a command about the program.
# @table@

# _aisp_listed target|chapter: what the program that is being typed has, nothing where it cannot say.
_aisp_listed() {
  local -a load=()
  local at
  for ((at = 0; at + 1 < ${#typed[@]}; ++at)); do
    [[ ${typed[at]} == --load ]] && load+=(--load "${typed[at + 1]/#\~\//$HOME/}")
  done
  "${COMP_WORDS[0]/#\~\//$HOME/}" bench list-targets --json "${load[@]}" 2> /dev/null |
    sed -n "s/^ *\"$1\": \"\(.*\)\",\{0,1\}\$/\1/p" | sort -u
}

# _aisp_offer <prefix that stays> <beginning of the word> <what the place takes>…
_aisp_offer() {
  local keep=$1 begun=$2 one
  local -a words=()
  shift 2
  for one; do
    case $one in
      @any) ;;
      @files | @folders)
        compopt -o filenames 2> /dev/null
        local kind=-f
        [[ $one == @folders ]] && kind=-d
        mapfile -t -O ${#words[@]} words < <(compgen $kind -- "$begun")
        ;;
      @targets)  # several, with commas
        local before=${begun%"${begun##*,}"}
        mapfile -t -O ${#words[@]} words < <(_aisp_listed target | sed "s|^|$before|")
        ;;
      @chapters) mapfile -t -O ${#words[@]} words < <(_aisp_listed chapter) ;;
      @commands) mapfile -t -O ${#words[@]} words < <(_aisp_next '') ;;
      *) words+=("$one") ;;
    esac
  done
  for one in "${words[@]}"; do
    # bash replaces what follows the last ':' or '=' only.
    [[ $one == "$begun"* ]] && COMPREPLY+=("${one#"$keep"}")
  done
}

# _aisp_next <words>: those that may follow them within a command's name.
_aisp_next() {
  local command
  while IFS='|' read -r command _; do
    [[ $command == "$1"?* ]] && command=${command#"$1"} && echo "${command%% *}"
  done <<< "$_aisp_table" | sort -u
}

# _aisp_takes <command> <option>: what stands in the table, and whether anything does.
_aisp_takes() {
  local command option takes
  while IFS='|' read -r command option takes; do
    [[ $command == "$1" && $option == "$2" ]] && echo "$takes" && return
  done <<< "$_aisp_table"
  return 1
}

_aisp_options() {
  local command option
  while IFS='|' read -r command option _; do
    [[ $command == "$1" && -n $option ]] && echo "$option"
  done <<< "$_aisp_table"
}

_aisp() {
  COMPREPLY=()
  # bash cuts words at ':' and '=' too: ch09:name is three of them.
  local -a typed=()
  local piece
  for piece in "${COMP_WORDS[@]:1:COMP_CWORD}"; do
    if [[ ${#typed[@]} -gt 0 && -n $piece && ($piece == [:=]* || ${typed[-1]} == *[:=]) ]]; then
      typed[-1]+=$piece
    else
      typed+=("$piece")
    fi
  done
  local current=${typed[-1]} last=${COMP_WORDS[COMP_CWORD]} at=$((${#typed[@]} - 1))
  [[ $last == [:=] ]] && last=''
  local keep=${current%"$last"}

  local command=${typed[0]} length=1 next
  next=$(_aisp_next "$command ")
  if ((at > 0)) && [[ -n $next ]]; then
    if ! _aisp_takes "$command" '' > /dev/null; then  # a command only with its second word
      length=2
      ((at > 1)) && command+=" ${typed[1]}"
    elif ((at == 1)); then  # one of its own as well: history, history import
      mapfile -t words <<< "$next"
      _aisp_offer '' "$current" "${words[@]}"
    elif grep -qxF -- "${typed[1]}" <<< "$next"; then
      length=2
      command+=" ${typed[1]}"
    fi
  fi
  if ((at < length)); then  # the command itself
    local before=''
    ((at == 1)) && before="$command "
    mapfile -t words < <(_aisp_next "$before"; [[ -z $before ]] && _aisp_options '')
    _aisp_offer '' "$current" "${words[@]}"
    return
  fi

  local word
  for word in "${typed[@]:length:at - length}"; do
    if [[ $word == -- ]]; then  # somebody else's command line
      _aisp_offer "$keep" "$current" @files
      return
    fi
  done
  local takes
  if [[ $current == --*=* ]]; then
    takes=$(_aisp_takes "$command" "${current%%=*}")
    _aisp_offer "${keep#*=}" "${current#*=}" $takes
  elif ((at > length)) && takes=$(_aisp_takes "$command" "${typed[at - 1]}") && [[ -n $takes ]]; then
    _aisp_offer "$keep" "$current" $takes
  elif [[ $current == -* ]]; then
    _aisp_offer '' "$current" $(_aisp_options "$command")
  else
    _aisp_offer "$keep" "$current" $(_aisp_takes "$command" '')
  fi
}

complete -F _aisp aisp
