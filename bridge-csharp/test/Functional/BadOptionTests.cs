namespace Sc2Bridge.Functional.Tests;

/// <summary>Wrong command lines: one line says what to write, and no match starts.</summary>
public sealed class BadOptionTests
{
    [Theory]
    [InlineData("write max, realtime, or a number of steps a second", "--rate", "0")]
    [InlineData("write max, realtime, or a number of steps a second", "--rate", "-3")]
    [InlineData("write max, realtime, or a number of steps a second", "--rate", "NaN")]
    [InlineData("--rate: 'nan' is not a rate: write max, realtime, or a number of steps a second, from 0.001", "--rate", "nan")]
    [InlineData("--rate: 'fast' is not a rate: write max, realtime, or a number of steps a second", "--rate", "fast")]
    [InlineData("--steps 0: write a whole number from 1", "--steps", "0")]
    [InlineData("--steps -7: write a whole number from 1", "--steps", "-7")]
    [InlineData("--steps many: write a whole number from 1", "--steps", "many")]
    [InlineData("--lockstep-deadline NaN: write seconds, more than 0", "--lockstep-deadline", "NaN")]
    [InlineData("--lockstep-deadline 0: write seconds, more than 0", "--lockstep-deadline", "0")]
    [InlineData("unknown option '--frobnicate' (sc2bridge match --help-all shows the options)", "--frobnicate", "3")]
    [InlineData("write Terran, Zerg, Protoss or Random", "--player", "computer:orc:Elite")]
    [InlineData("--player: 'human' is not a player: write computer:RACE:DIFFICULTY", "--player", "human")]
    [InlineData("--player: 'computer:zerg' lacks a difficulty: write computer:RACE:DIFFICULTY", "--player", "computer:zerg")]
    [InlineData("--player: 'api' lacks a race: write api:RACE, such as api:terran", "--player", "api")]
    [InlineData("unknown option '--opponent'; did you mean --player?", "--opponent", "zerg")]
    [InlineData("CheatMoney or CheatInsane (Elite is VeryHard); did you mean CheatInsane?", "--player", "computer:zerg:insane")]
    [InlineData("--player agent:Terran has no opponent, and would win at once: add a second --player", "--player", "agent:terran")]
    [InlineData("there are 2 players. Give 0 to see all", "--observe", "7")]
    [InlineData("write MODULE:CLASS", "--agent", "nonsense")]
    [InlineData("or +columns, and then +deflate, +zstd or +group-zstd", "--agent", "a:B@json+zip")]
    [InlineData("leave one out", "--no-agents", "--agent", "a:B")]
    [InlineData("--codec-log on: write off, sampled or full", "--codec-log", "on")]
    [InlineData("--codec-log 2: write off, sampled or full", "--codec-log", "2")]
    [InlineData(
        "--log-level loud: write trace, debug, information, warning, error, critical or none", "--log-level", "loud")]
    [InlineData("'maybe' is one word too many: --no-agents takes no value", "--no-agents=maybe")]
    [InlineData("'x' is one word too many (", "--seed", "5", "x")]
    [InlineData("'x' is one word too many: -q takes no value", "-q", "x")]
    [InlineData("unknown option '--sede'; did you mean --seed?", "--sede", "5")]
    [InlineData("unknown option '--port' (", "--port", "5000")]
    [InlineData("unknown option '--log'; did you mean --log-level?", "--log", "debug")]
    [InlineData("unknown option '--record'; did you mean --recording?", "--record", "x")]
    [InlineData("unknown option '--help-al'; did you mean --help-all?", "--help-al")]
    [InlineData("unknown option '--agnet'; did you mean --agent?", "--agnet", "a:B")]
    [InlineData("--no-recording contradicts --recording: leave one out", "--recording", "a.mcap", "--no-recording")]
    [InlineData("leave out --game", "--attach", "127.0.0.1:5000", "--game", "simulated")]
    [InlineData("leave out --game starcraft", "--observations", ".", "--game", "starcraft")]
    [InlineData("give SCREEN or SCREEN,MINIMAP", "--feature-layers", "big")]
    [InlineData("--grpc: 'nonsense' is not an address: write host:port", "--grpc", "nonsense")]
    [InlineData("--web: '300.1.1.1:8765': the host '300.1.1.1' has no address", "--web", "300.1.1.1:8765")]
    [InlineData("--web unix:a: write HOST:PORT, because WebSocket clients cannot use Unix sockets; only --grpc can", "--web", "unix:a")]
    [InlineData("--grpc: Cannot listen on 192.0.2.1:50051", "--grpc", "192.0.2.1:50051")]
    [InlineData("Give a file with lines of the form ROLE TOKEN", "--tokens", "nowhere")]
    [InlineData("the folder does not exist", "--observations", "/there/is/none")]
    [InlineData("--map: There is no map 'Nowhere'", "--map", "Nowhere")]
    [InlineData("--out has an empty value: write a value, or leave out the option", "--out", "")]
    [InlineData("--json has an empty value: write a value, or leave out the option", "--json", "")]
    [InlineData("--json A.mcap: this is the name of a recording: name another file, such as summary.json", "--json", "A.mcap")]
    [InlineData("--recording x/steps.csv: the match itself writes that file: name another file", "--out", "x", "--recording", "x/steps.csv")]
    [InlineData("--json x/agents.csv: the match itself writes that file: name another file", "--out", "x", "--json", "x/agents.csv")]
    [InlineData("--python has an empty value: write a value, or leave out the option", "--python", "")]
    [InlineData("name a Python interpreter", "--python", "/there/is/none", "--agent", "a:B")]
    [InlineData("--allow-host a b: write a host's name without a port", "--allow-host", "a b")]
    [InlineData("--allow-origin garbage: write an origin", "--allow-origin", "garbage")]
    [InlineData("--shm a/b: write up to 100 letters", "--shm", "a/b")]
    [InlineData("frames in shared memory are not sent: leave out 'group-zstd'", "--agent", "swarm:Swarm@auto+group-zstd")]
    [InlineData("frames in shared memory are not sent: leave out 'zstd'", "--agent", "swarm:Swarm@shm+columns+zstd")]
    [InlineData("--memory 9999GB: write a size, such as 500M, 512MB or 20G, from 64M to ", "--memory", "9999GB")]
    [InlineData("--memory 512MBB: write a size", "--memory", "512MBB")]
    [InlineData("--json needs a value before --game: a FILE, or - for standard output, such as --json result.json", "--json")]
    [InlineData("--agent-env A=B: write the variable's name alone", "--agent-env", "A=B")]
    [InlineData("--scenario contradicts --map: leave one out", "--scenario", "../../../../scenarios/3m.json", "--map", "Salt Basin LE")]
    [InlineData("leave out --game starcraft, or name a map", "--scenario", "../../../../scenarios/3m.json", "--game", "starcraft")]
    [InlineData("--scenario /there/is/none: no such file or scenario: write the path of a file, or one of 10gen_protoss, 10gen_terran, ", "--scenario", "/there/is/none")]
    [InlineData("it is not JSON in line 1", "--scenario", "terminal.py")]
    [InlineData("give --player agent:Terran --player agent:Terran", "--scenario", "../../../../scenarios/3m.json", "--player", "agent:zerg")]
    [InlineData("Set SC2PATH to StarCraft II's own folder", "--game", "starcraft")]
    public async Task A_wrong_option_is_one_line_that_says_what_to_write(string words, params string[] options)
    {
        using var folder = new MatchFolder();
        using var match = folder.Match(options, [("SC2PATH", folder.Path)]);
        (await match.EndAsync()).Says(2, "sc2bridge: ", words);
        Assert.Equal(0, folder.StepsSoFar());
    }

    [Fact]
    public async Task An_unknown_map_is_reported_before_agents_start()
    {
        using var folder = new MatchFolder();
        using var match = folder.Match(["--map", "Cinder Fortres", "--agent", "nowhere:Nobody"]);
        var ended = await match.EndAsync();
        ended.Says(2, "There is no map 'Cinder Fortres'. The maps are: Cinder Fortress LE, ");
        Assert.DoesNotContain("nobody", ended.Output, StringComparison.Ordinal);
    }

    [Theory]
    [InlineData("unknown command 'frobnicate' (sc2bridge --help shows the options)", "frobnicate")]
    [InlineData("FILE is empty: write a value", "inspect", "")]
    [InlineData("unknown option '--format'; did you mean --parquet? (sc2bridge export --help shows the options)", "export", "a.mcap", "--format", "parquet")]
    [InlineData("unknown option '--format'; did you mean --json? (sc2bridge inspect --help-all shows the options)", "inspect", "a.mcap", "--format", "json")]
    [InlineData("unknown command 'play'; did you mean match?", "play")]
    [InlineData("unknown command 'config'; did you mean init?", "config")]
    [InlineData("-port 99999 is not a port", "--quiet", "simulate", "-port", "99999")]
    [InlineData("-port 99999 is not a port", "simulate", "--no-color", "-port", "99999", "-q")]
    [InlineData("--max-connections none is not a number of connections", "simulate", "--max-connections", "none")]
    [InlineData("--allow-host a b is not a host's name without a port: give one", "simulate", "--allow-host", "a b")]
    [InlineData("--max-connections 2000000000 is too many", "simulate", "--max-connections", "2000000000")]
    [InlineData(
        "--max-connections 2000000000 is too many", "simulate", "--recording", "none.mcap", "--max-connections", "2000000000")]
    [InlineData(
        "--store is missing: where results go", "work", "run", "amqp://127.0.0.1")]
    [InlineData("unknown option '--recordng'; did you mean --recording?", "simulate", "--recordng", "none.mcap")]
    [InlineData("unknown option '--replays'; did you mean -replays?", "simulate", "--replays", ".")]
    [InlineData("--LadderServer 127.0.0.1:5000: write a host's name or an IP address, and its port as --GamePort", "ladder", "--LadderServer", "127.0.0.1:5000")]
    [InlineData("--GamePort is missing: ladder joins a match: add --GamePort PORT", "ladder", "--LadderServer", "[::1]", "--StartPort", "65530")]
    [InlineData("--StartPort 65531: write a port, a whole number from 1 to 65530", "ladder", "--StartPort", "65531")]
    [InlineData("--recording needs a value after it", "simulate", "--recording", "")]
    [InlineData("unknown option '--patch-day'", "simulate", "--recording", "none.mcap", "--patch-day", "1")]
    [InlineData("--patch-day tomorrow is not a seed: give a number from 0 to 4294967295.", "simulate", "--patch-day", "tomorrow")]
    [InlineData("--patch-day cannot change the files of -observations", "simulate", "--patch-day", "1", "-observations", ".")]
    public async Task A_wrong_command_line_is_one_line(string words, params string[] arguments)
    {
        using var bridge = BridgeProcess.Start([.. BridgeProcess.Program, .. arguments]);
        (await bridge.EndAsync()).Says(2, $"sc2bridge: {words}");
    }

    [Fact]
    public async Task A_word_that_ladder_ignores_may_be_a_mistyped_option()
    {
        using var bridge = BridgeProcess.Start([.. BridgeProcess.Program, "ladder", "-q", "--race", "zerg", "--gameport", "1", "--Colour", "red"]);
        var ended = await bridge.EndAsync();
        Assert.Equal("sc2bridge: ignored, because they have no effect here: --gameport 1 --Colour red; --gameport: did you mean --GamePort?", ended.Error[0]);
        Assert.Equal(2, ended.ExitCode);
    }

    [Fact]
    public async Task No_command_is_an_error_that_lists_the_commands()
    {
        using var bridge = BridgeProcess.Start([.. BridgeProcess.Program]);
        var ended = await bridge.EndAsync();
        Assert.Equal((2, ""), (ended.ExitCode, ended.Output));
        Assert.Contains("Usage: sc2bridge COMMAND [OPTIONS]", ended.Told, StringComparison.Ordinal);
    }

    [Theory]
    [InlineData("-V")]
    [InlineData("--version")]
    public async Task It_prints_its_version(string option)
    {
        using var bridge = BridgeProcess.Start([.. BridgeProcess.Program, option]);
        Assert.Matches(@"^\d+\.\d+\.\d+", (await bridge.EndAsync()).Output);
    }

    [Theory]
    [InlineData("a is a recording to export: name another file for the result", "export", "a", "--parquet", "tables", "--json", "a")]
    [InlineData("a is a replay to record: name another", "record", "a", "--out", ".", "--json", "a")]
    [InlineData("--json: ./a.player2.mcap is a recording: name another", "record", "a", "--out", ".", "--json", "./a.player2.mcap")]
    [InlineData("a is a replay to record: name another", "work", "submit", "amqp://127.0.0.1:1", "a", "--json", "a")]
    public async Task A_result_does_not_overwrite_an_input_or_a_recording(string words, params string[] arguments)
    {
        using var folder = new MatchFolder();
        var input = Path.Combine(folder.Path, "a");
        await File.WriteAllTextAsync(input, "mine", TestContext.Current.CancellationToken);
        using var bridge = BridgeProcess.Start(["env", "-C", folder.Path, .. BridgeProcess.Program, .. arguments]);
        (await bridge.EndAsync()).Says(2, $"sc2bridge: {words}");
        Assert.Equal("mine", await File.ReadAllTextAsync(input, TestContext.Current.CancellationToken));
        Assert.Equal([input], Directory.GetFileSystemEntries(folder.Path));
    }

    [Theory]
    [InlineData("x")]
    [InlineData("-1")]
    [InlineData("17")]
    public async Task A_player_that_cannot_be_recorded_is_one_line(string player)
    {
        using var record = BridgeProcess.Start([.. BridgeProcess.Program, "record", "none.SC2Replay", "--observe", player]);
        (await record.EndAsync()).Says(
            2, $"sc2bridge: --observe {player}: write a player id, a whole number from 0 to 16");
    }
}
