# Completion of aisp in fish, printed by `aisp completion fish`. For this shell:
#   aisp completion fish | source

# The words before the cursor are these and no more: the next one belongs to the command's name.
function __aisp_follows
    set -l typed (commandline -opc)
    set -e typed[1]
    test "$typed" = "$argv"
end

# The words before the cursor begin with these: the command is known.
function __aisp_at
    set -l typed (commandline -opc)
    set -e typed[1]
    set -l length (count $argv)
    test (count $typed) -ge $length; and test "$typed[1..$length]" = "$argv"
end

# __aisp_listed target|chapter: what the program that is being typed has, nothing where it cannot say.
function __aisp_listed
    set -l typed (commandline -opc)
    set -l load
    for at in (seq 2 (math (count $typed) - 1))
        if test "$typed[$at]" = --load
            set -a load --load $typed[(math $at + 1)]
        end
    end
    eval $typed[1] bench list-targets --json (string escape -- $load) 2>/dev/null \
        | string replace -rf '^ *"'$argv[1]'": "(.*)",?$' '$1' | sort -u
end

# __aisp_offer <what the place takes>…: literal words, @folders, @targets, @chapters, @commands; fish offers files itself.
function __aisp_offer
    for one in $argv
        switch $one
            case @files
            case @folders
                __fish_complete_directories (commandline -ct)
            case @targets # several, with commas
                __fish_complete_list , '__aisp_listed target'
            case @chapters
                __aisp_listed chapter
            case @commands
                complete -C 'aisp '
            case '*'
                echo $one
        end
    end
end

complete -c aisp -e
complete -c aisp -f
# @table@
