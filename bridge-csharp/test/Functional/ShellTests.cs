namespace Sc2Bridge.Functional.Tests;

/// <summary>Completion in a terminal, with the scripts of <c>sc2bridge completion</c>.</summary>
public sealed class ShellTests : MatchFolderTests
{
    // Long options and values, parts between colons, after an equals sign, in quotes; files of the program and of the shell.
    public static TheoryData<string, string> Lines => new()
    {
        { "match --ste", "match|--step" },
        { "match --log-level warn", "match|--log-level|warning|" },
        { "match --player computer:ter", "match|--player|computer:terran:|" },
        { "match --player computer:terran:cheatv", "match|--player|computer:terran:cheatvision|" },
        { "match --player=computer:terran:cheatv", "match|--player=computer:terran:cheatvision|" },
        { "match --map=Cin", "match|--map=CinderFortressLE|" },
        { "match --map 'Cinder Fortress LE' --pol", "match|--map|Cinder Fortress LE|--policy|" },
        { "match --map \"Cind", "match|--map|Cinder Fortress LE|" },
        { "match --map 'Cinder F", "match|--map|Cinder Fortress LE|" },
        { "match --player \"computer:terran:cheatv", "match|--player|computer:terran:cheatvision|" },
        { "match --scenario MM", "match|--scenario|MMM|" },
        { "match --profile fa", "match|--profile|fast|" },
        { "replay my", "replay|my file.mcap|" },
        { "replay folder/my\\ ma", "replay|folder/my match.mcap|" },
        { "match --tokens tok", "match|--tokens|tokens.txt|" },
        { "match --tokens=tok", "match|--tokens=tokens.txt|" },
        { "match --tokens folder/my\\ tok", "match|--tokens|folder/my tokens.txt|" },
    };

    [Theory]
    [MemberData(nameof(Lines))]
    public Task Bash_completes(string line, string words) => CompletesAsync("bash", line, words, "bash", "--noprofile", "--rcfile", Write("rc"), "-i");

    [Theory]
    [MemberData(nameof(Lines))]
    [Trait("Suite", "Long")]
    public Task Zsh_completes(string line, string words)
    {
        Write(".zshrc", "autoload -Uz compinit; compinit -u -D\n");
        return CompletesAsync("zsh", line, words, "env", $"ZDOTDIR={Folder.Path}", "zsh", "-i");
    }

    [Theory]
    [MemberData(nameof(Lines))]
    [Trait("Suite", "Long")]
    public Task Fish_completes(string line, string words)
    {
        Directory.CreateDirectory(Path.Combine(Folder.Path, "fish"));
        File.WriteAllText(Path.Combine(Folder.Path, "fish", "config.fish"), "function fish_prompt; echo -n 'READY>'; end\nsc2bridge completion fish | source\n");
        return CompletesAsync("fish", line, words, "env", $"XDG_CONFIG_HOME={Folder.Path}", $"XDG_DATA_HOME={Folder.Path}", "fish", "-i");
    }

    [Fact]
    public async Task PowerShell_has_a_script_too()
    {
        using var printed = BridgeProcess.Start([.. BridgeProcess.Program, "completion", "powershell"]);
        Assert.Contains("Register-ArgumentCompleter -Native", (await printed.EndAsync()).Output, StringComparison.Ordinal);
    }

    [Fact]
    public async Task Another_shell_is_an_error()
    {
        using var printed = BridgeProcess.Start([.. BridgeProcess.Program, "completion", "zhs"]);
        (await printed.EndAsync()).Says(2, "unknown shell 'zhs'");
    }

    private string Write(string name, string first = "")
    {
        var path = Path.Combine(Folder.Path, name);
        File.WriteAllText(path, $"{first}PS1='READY>'\nsource <(sc2bridge completion {(first.Length > 0 ? "zsh" : "bash")})\n");
        return path;
    }

    private async Task CompletesAsync(string shell, string line, string words, params string[] start)
    {
        BridgeProcess.NeedTerminals();
        Assert.SkipUnless(File.Exists($"/bin/{shell}") || File.Exists($"/usr/bin/{shell}"), $"needs {shell}");
        var bin = Directory.CreateDirectory(Path.Combine(Folder.Path, "bin")).FullName;
        var program = Path.Combine(bin, "sc2bridge");
        var real = string.Join(' ', BridgeProcess.Program.Select(word => $"'{word}'"));
        await File.WriteAllTextAsync(
            program, $"#!/bin/sh\ncase \"$1\" in '[suggest:'* | completion) exec {real} \"$@\" ;; esac\nprintf '<%s>' BEGIN; printf '%s|' \"$@\"; printf '<%s>' END\n",
            TestContext.Current.CancellationToken);
        if (!OperatingSystem.IsWindows())
        {
            File.SetUnixFileMode(program, UnixFileMode.UserRead | UnixFileMode.UserWrite | UnixFileMode.UserExecute);
        }

        await File.WriteAllTextAsync(Path.Combine(Folder.Path, "sc2bridge.toml"), "[profiles.fast]\n[profiles.slow]\n", TestContext.Current.CancellationToken);
        await File.WriteAllTextAsync(Path.Combine(Folder.Path, "my file.mcap"), "", TestContext.Current.CancellationToken);
        Directory.CreateDirectory(Path.Combine(Folder.Path, "folder"));
        foreach (var file in (string[])["match.mcap", "tokens.txt", "folder/my match.mcap", "folder/my tokens.txt"])
        {
            await File.WriteAllTextAsync(Path.Combine(Folder.Path, file), "", TestContext.Current.CancellationToken);
        }

        using var typed = BridgeProcess.Start(
            ["env", "-C", Folder.Path, $"PATH={bin}:{Environment.GetEnvironmentVariable("PATH")}", MatchFolder.Python, Path.Combine(BridgeProcess.AgentFolder, "complete.py"), $"sc2bridge {line}", .. start]);
        var ended = await typed.EndAsync();
        Assert.Empty(ended.Error);
        Assert.StartsWith(words, ended.Output, StringComparison.Ordinal);
    }
}
