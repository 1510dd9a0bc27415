using System.CommandLine;

namespace Sc2Bridge.Cli;

/// <summary><c>sc2bridge completion</c>: prints a script that lets a shell complete the words of command lines.</summary>
internal static class CompletionCommand
{
    // Bash splits words at the characters of COMP_WORDBREAKS, such as : and =. Bash expects only the part after the last of these characters.
    private const string Bash = """
        # Completion of sc2bridge for bash. Add to ~/.bashrc:  source <(sc2bridge completion bash)
        _sc2bridge() {
          local line=${COMP_LINE:0:COMP_POINT} breaks=${COMP_WORDBREAKS//[^:=]/} begun= quote= found
          local word=${line//\\ /__}
          word=${word##*[[:space:]]}
          [ -z "$breaks" ] || begun=${word%"${word##*[$breaks]}"}
          case ${COMP_WORDS[COMP_CWORD]-} in [\"\']*) quote=1 ;; esac
          COMPREPLY=()
          while IFS= read -r found; do
            if [ "$quote" ]; then found=${found#--*=}; else printf -v found %q "${found#"$begun"}"; fi
            COMPREPLY+=("$found")
          done < <("${1/#\~/$HOME}" "[suggest:${#line}]" "$line" 2>/dev/null)
          case ${#COMPREPLY[@]}${COMPREPLY[0]-} in 1*[:=/]) compopt -o nospace 2>/dev/null ;; esac
        }
        complete -o default -F _sc2bridge sc2bridge

        """;

    private const string Zsh = """
        #compdef sc2bridge
        # Completion of sc2bridge for zsh. Add to ~/.zshrc, below compinit:  source <(sc2bridge completion zsh)
        _sc2bridge() {
          local line="${(j: :)words[1,CURRENT-1]} ${compstate[quote]}$PREFIX"
          local -a found=("${(@f)$(${~words[1]} "[suggest:${#line}]" "$line" 2>/dev/null)}")
          found=(${found:#})
          if (( ${#found} == 0 )); then compset -P '--*='; _files; return; fi
          compadd -S '' -- ${(M)found:#*[:=/]}
          compadd -- ${found:#*[:=/]}
        }
        if [ "$funcstack[1]" = _sc2bridge ]; then _sc2bridge "$@"; else compdef _sc2bridge sc2bridge; fi

        """;

    private const string Fish = """
        # Completion of sc2bridge for fish. Run once:  sc2bridge completion fish > ~/.config/fish/completions/sc2bridge.fish
        function __sc2bridge_complete
            set -l line (commandline -cp | string collect)
            set -l program (commandline -opc)[1]
            set -l found ($program "[suggest:"(string length -- $line)"]" $line 2>/dev/null)
            if test (count $found) -gt 0
                printf '%s\n' $found
            else
                set -l option (string match -r -- '^--[^=]*=' (commandline -ct))
                string replace -r -- '^' "$option" (complete -C "'' "(string replace -- "$option" '' (commandline -ct)))
            end
        end
        complete -c sc2bridge -f -a '(__sc2bridge_complete)'

        """;

    private const string PowerShell = """
        # Completion of sc2bridge for PowerShell. Add to the file that $PROFILE names:  sc2bridge completion powershell | Out-String | Invoke-Expression
        Register-ArgumentCompleter -Native -CommandName sc2bridge, sc2bridge.exe, sc2bridge.cmd -ScriptBlock {
            param($wordToComplete, $commandAst, $cursorPosition)
            $position = $cursorPosition - $commandAst.Extent.StartOffset
            $line = $commandAst.Extent.Text.PadRight($position).Substring(0, $position)
            & $commandAst.CommandElements[0].Extent.Text "[suggest:$position]" $line 2>$null | ForEach-Object {
                $text = if ($_ -match '[^\w./:=+-]') { "'" + $_.Replace("'", "''") + "'" } else { $_ }
                [System.Management.Automation.CompletionResult]::new($text, $_, 'ParameterValue', $_)
            }
        }

        """;

    /// <summary>The shells that have a script.</summary>
    internal static IEnumerable<string> Shells { get; } = ["bash", "fish", "powershell", "zsh"];

    internal static DocumentedCommand Create()
    {
        var shell = new Argument<string>("SHELL") { Description = "`bash`, `zsh`, `fish` or `powershell`" };
        var command = new DocumentedCommand("completion", "Prints a script that lets a shell complete commands, options, maps and players.")
        {
            Examples = [("the script for bash; its first line says how to load it in each shell", "completion bash")],
        };
        command.Add(shell);
        command.SetAction((parsed, _) =>
        {
            var name = parsed.GetRequiredValue(shell);
            Console.Write(name switch
            {
                "bash" => Bash,
                "zsh" => Zsh,
                "fish" => Fish,
                "powershell" => PowerShell,
                _ => throw new CommandException($"unknown shell '{name}': write bash, zsh, fish or powershell{GameApi.ClosestWord.Hint(name, Shells)}"),
            });
            return Task.FromResult(0);
        });
        return command;
    }
}
