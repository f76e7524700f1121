#compdef aisp
# Completion of aisp in zsh, printed by `aisp completion zsh`. As a file _aisp in a folder of $fpath, or for this shell:
#   source <(aisp completion zsh)

# @table@

# _aisp_listed target|chapter: what the program that is being typed has, nothing where it cannot say.
_aisp_listed() {
  local -a load
  local at
  for (( at = 1; at < $#_aisp_typed; ++at )); do
    [[ $_aisp_typed[at] == --load ]] && load+=(--load ${~_aisp_typed[at + 1]})
  done
  ${~_aisp_typed[1]} bench list-targets --json $load 2> /dev/null |
    sed -n "s/^ *\"$1\": \"\(.*\)\",\{0,1\}\$/\1/p" | sort -u
}

# _aisp_offer <what the place takes>…: literal words, @files, @folders, @targets, @chapters, @commands.
_aisp_offer() {
  local one
  local -a plain listed
  for one; do
    case $one in
      @files) _files ;;
      @folders) _files -/ ;;
      @targets)  # several, with commas
        listed=(${(f)"$(_aisp_listed target)"})
        compset -P '*,'
        compadd -S '' -a listed ;;
      @chapters)
        listed=(${(f)"$(_aisp_listed chapter)"})
        compadd -a listed ;;
      @commands)
        local -a choices
        _aisp_words ''
        _describe command choices ;;
      *) plain+=$one ;;
    esac
  done
  (( $#plain )) && compadd -a plain
}

_aisp() {
  local -a choices _aisp_typed=("${words[@]}")
  local command=''
  while true; do  # one word of the command's name after the other
    _aisp_words "$command"
    (( $#choices )) || break
    if (( CURRENT == 2 )); then
      _describe command choices
      [[ -z $command ]] && compadd -- $_aisp_own_options
      return
    fi
    command=${command:+$command }$words[2]
    shift words
    (( CURRENT-- ))
  done
  _aisp_arguments "$command"
}

if [[ $funcstack[1] == _aisp ]]; then
  _aisp "$@"
else
  compdef _aisp aisp
fi
