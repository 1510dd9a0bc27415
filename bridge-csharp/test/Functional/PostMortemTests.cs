using System.Text.Json;
using Sc2Bridge.Recordings;

namespace Sc2Bridge.Functional.Tests;

/// <summary>
/// Faults in the agent, the bot, the game and the bridge. Each match leaves a post-mortem that names the cause and the game loop.
/// </summary>
public sealed class PostMortemTests(ITestOutputHelper output) : MatchFolderTests
{
    private const int Loop = 60;

    private static readonly string[] _players = ["--player", "agent:terran", "--player", "computer:zerg:Easy", "--steps", "150"];

    // The bridge notes its progress every 10 ms.
    private const int Tolerance = 22;

    private string Fault => Path.Combine(Folder.Path, "fault");

    [Theory]
    [InlineData("exception", "@shm", "agent_exception")]
    [InlineData("kill", "@shm", "agent_killed")]
    [InlineData("hang", "@shm", "agent_hung", Traits = ["Suite", "Long"])]
    [InlineData("memory", "@shm", "agent_out_of_memory", Traits = ["Suite", "Long"])]
    [InlineData("loop", "@shm", "agent_hung", Traits = ["Suite", "Long"])]
    [InlineData("slow", "@shm", "slow_step", Traits = ["Suite", "Long"])]
    [InlineData("connection", "@grpc", "agent_disconnected", Traits = ["Suite", "Long"])]
    [InlineData("connection", "@json", "agent_disconnected")]
    [InlineData("kill", "@grpc", "agent_killed", Traits = ["Suite", "Long"])]
    [InlineData("exception", "@json", "agent_exception", Traits = ["Suite", "Long"])]
    [InlineData("memory", "@proto", "agent_out_of_memory", Traits = ["Suite", "Long"])]
    [InlineData("hang", "@json", "agent_hung", Traits = ["Suite", "Long"])]
    public async Task Faults_of_an_agent_are_named(string fault, string transport, string kind)
    {
        using var match = Match("agent", fault, [.. _players, "--agent", $"faulty:Faulty{transport}"]);
        await match.EndAsync();
        var report = Names(kind, "agent faulty-1", Loop, Loop);
        if (fault is "loop" or "slow")
        {
            Assert.Contains("time.sleep(", $"{report.GetProperty("tracebacks")}", StringComparison.Ordinal);
        }
    }

    [Theory]
    [InlineData("kill", "bot_disconnected")]
    [InlineData("hang", "bot_hung", Traits = ["Suite", "Long"])]
    [InlineData("exception", "bot_disconnected", Traits = ["Suite", "Long"])]
    [InlineData("memory", "bot_disconnected", Traits = ["Suite", "Long"])]
    [InlineData("slow", "slow_step", Traits = ["Suite", "Long"])]
    [InlineData("connection", "bot_disconnected", Traits = ["Suite", "Long"])]
    public async Task Faults_of_a_bot_behind_the_proxy_are_named(string fault, string kind)
    {
        using var match = Match(
            "agent", fault, ["--player", "api:terran", "--player", "computer:zerg:Easy", "--api-port", "0", "--api-deadline", fault == "hang" ? "8" : "60"]);
        var line = await match.LineAsync("--GamePort");
        var port = line.Split("--GamePort ")[1].Split(' ')[0];
        using var bot = BridgeProcess.Start(
            [MatchFolder.Python, Path.Combine(BridgeProcess.AgentFolder, "faulty.py"), "bot", "127.0.0.1", port],
            ("LC_SC2BRIDGE_FAULT", $"agent {fault} {Loop} {Fault}"));
        await match.EndAsync();
        Names(kind, "bot of player 1", Loop, Loop);
    }

    [Theory]
    [InlineData("kill", "game_killed")]
    [InlineData("hang", "game_hung", Traits = ["Suite", "Long"])]
    [InlineData("exception", "game_ended", Traits = ["Suite", "Long"])]
    [InlineData("memory", "game_out_of_memory", Traits = ["Suite", "Long"])]
    [InlineData("slow", "slow_step", Traits = ["Suite", "Long"])]
    [InlineData("connection", "game_disconnected", Traits = ["Suite", "Long"])]
    public async Task Faults_of_the_game_are_named(string fault, string kind)
    {
        using var match = Match("game", fault, [.. _players, "--agent", "faulty:Faulty", "--game-deadline", fault == "slow" ? "60" : "2"]);
        await match.EndAsync();

        // The game was working on the next observation.
        Names(kind, "game", Loop, Loop + 1);
    }

    [Theory]
    [InlineData("kill", "bridge_killed")]
    [InlineData("hang", "bridge_killed", Traits = ["Suite", "Long"])]
    [InlineData("exception", "bridge_error", Traits = ["Suite", "Long"])]
    [InlineData("memory", "bridge_out_of_memory", Traits = ["Suite", "Long"])]
    [InlineData("slow", "slow_step", Traits = ["Suite", "Long"])]
    public async Task Faults_of_the_bridge_are_named_by_the_next_command(string fault, string kind)
    {
        using (var match = Match("bridge", fault, [.. _players, "--agent", "faulty:Faulty"]))
        {
            if (fault == "hang")
            {
                await match.UntilAsync(() => IsSuspended(match.Id));
                match.Signal(BridgeProcess.KillSignal);
            }

            await match.EndAsync();
        }

        if (fault != "slow")
        {
            using var next = Folder.Match("--steps", "5", "--out", Path.Combine(Folder.Path, "next"));
            (await next.EndAsync()).Well();
        }

        Names(kind, "bridge", Loop - Tolerance, Loop + 1);
    }

    [Theory]
    [InlineData("agent", "exception", "agent_exception", "agent faulty-1")]
    [InlineData("game", "kill", "game_disconnected", "game", Traits = ["Suite", "Long"])]
    public async Task Faults_in_a_ladder_match_are_named(string target, string fault, string kind, string who)
    {
        var port = GameApi.FreePorts.Find();
        var variable = ("LC_SC2BRIDGE_FAULT", $"{target} {fault} {Loop} {Fault}");
        using var game = BridgeProcess.Start([.. BridgeProcess.Program, "simulate", "-listen", "127.0.0.1", "-port", $"{port}"]);
        await game.LineAsync("simulated game");
        using (var manager = BridgeProcess.Start(
            [MatchFolder.Python, Path.Combine(BridgeProcess.AgentFolder, "faulty.py"), "create", "127.0.0.1", $"{port}"], variable))
        {
            Assert.Equal(0, (await manager.EndAsync()).ExitCode);
        }

        using var ladder = BridgeProcess.Start(
            [
                .. BridgeProcess.Program, "ladder", "--GamePort", $"{port}", "--race", "terran", "--agent", "faulty:Faulty", "--out", Folder.Out,
                "--python", MatchFolder.Python, "--lockstep-deadline", "60",
            ],
            variable, ("LC_FAULT_GAME", $"{game.Id}"));
        await ladder.EndAsync();
        Names(kind, who, Loop, Loop);
    }

    [Fact]
    public async Task A_normal_match_leaves_a_post_mortem_only_on_request()
    {
        (await Folder.PlayAsync("--steps", "5")).Well();
        Assert.False(File.Exists(Path.Combine(Folder.Out, "post-mortem.json")));
        using var match = Folder.Match("--steps", "900", "--post-mortem", "always", "--out", Path.Combine(Folder.Path, "next"));
        (await match.EndAsync()).Well();
        var report = Read("next");
        Assert.Equal("none", report.GetProperty("cause").GetProperty("kind").GetString());
        Assert.Equal((228, 899), (report.GetProperty("recording").GetProperty("first_game_loop").GetInt32(), report.GetProperty("recording").GetProperty("last_game_loop").GetInt32()));
        Assert.Equal(672, report.GetProperty("steps").GetArrayLength());
        if (await ReadTailAsync("next") is { } recording)
        {
            using var opened = recording;
            Assert.Equal((null, 672L, V1.EndReason.StepLimit), (recording.Problem, recording.Count(0), recording.ReadEnd()!.Reason));
            Assert.Equal(672, recording.Steps().Count());
        }
    }

    [Fact]
    public async Task A_match_without_a_recording_has_a_report_without_a_picture_and_never_leaves_nothing()
    {
        using (var match = Match("agent", "exception", [.. _players, "--agent", "faulty:Faulty", "--no-recording", "--post-mortem", "failed"]))
        {
            await match.EndAsync();
        }

        var report = Names("agent_exception", "agent faulty-1", Loop, Loop);
        Assert.Equal(JsonValueKind.Null, report.GetProperty("recording").ValueKind);
        Assert.Contains("--no-recording", report.GetProperty("recording_missing").GetString(), StringComparison.Ordinal);
        using var silent = Match("agent", "exception", [.. _players, "--agent", "faulty:Faulty", "--post-mortem", "never", "--out", Path.Combine(Folder.Path, "next")]);
        await silent.EndAsync();
        Assert.False(File.Exists(Path.Combine(Folder.Path, "next", "post-mortem.json")));
    }

    [Fact]
    public async Task Secrets_names_and_home_folders_are_removed()
    {
        const string secret = "a-secret-of-the-test";
        const string token = "a-given-token-of-the-test";
        var tokens = Path.Combine(Folder.Path, "tokens");
        await File.WriteAllTextAsync($"{Fault}.token", token, Ct);
        await File.WriteAllTextAsync(tokens, $"watch {token}", Ct);
        if (!OperatingSystem.IsWindows())
        {
            File.SetUnixFileMode(tokens, UnixFileMode.UserRead | UnixFileMode.UserWrite);
        }

        using var match = Folder.Match(
            [.. _players, "--agent", "faulty:Faulty", "--tokens", tokens],
            [("LC_SC2BRIDGE_FAULT", $"agent secrets {Loop} {Fault}"), ("FAULT_SECRET", secret)]);
        await match.EndAsync();
        var report = Names("agent_exception", "agent faulty-1", Loop, Loop);
        var text = report.GetProperty("cause").GetProperty("text").GetString()!;
        Assert.Contains("~/bots by user: [removed], ws://a/v1?token=[removed], amqp://[removed]@host, [removed], C:", text, StringComparison.Ordinal);
        string[] secrets = [secret, "abcdef0123", "pass-word", token, Environment.GetFolderPath(Environment.SpecialFolder.UserProfile), $@"users\{Environment.UserName}\"];
        foreach (var file in new[] { "post-mortem.json", "post-mortem.html" }.Select(name => Path.Combine(Folder.Out, name)).Where(File.Exists))
        {
            var all = await File.ReadAllTextAsync(file, Ct);
            Assert.All(secrets, one => Assert.DoesNotContain(one, all, StringComparison.Ordinal));
        }

        if (await ReadTailAsync("out") is not { } tail)
        {
            return;
        }

        // The messages of the recording, which are compressed in the page.
        using (tail)
        {
            List<string> texts = [$"{tail.Description}", $"{tail.ReadEnd()}", $"{tail.ReadGameInfo()}"];
            texts.AddRange(tail.Requests().Select(request => $"{request}"));
            texts.AddRange(tail.Actions().Select(action => $"{action}"));
            using var reader = tail.Observations();
            while (reader.Next(out var observation))
            {
                texts.Add($"{SC2APIProtocol.ResponseObservation.Parser.ParseFrom(observation.Bytes.Span)}");
            }

            // JSON doubles each backslash.
            Assert.All(secrets, one => Assert.All(texts, text => Assert.DoesNotContain(one.Replace(@"\", @"\\", StringComparison.Ordinal), text, StringComparison.Ordinal)));
            Assert.Contains(texts, text => text.Contains("actionChat", StringComparison.Ordinal) && text.Contains("~/bots", StringComparison.Ordinal));
            Assert.Contains(texts, text => text.Contains("debug", StringComparison.Ordinal) && text.Contains("~/bots", StringComparison.Ordinal));
        }
    }

    // The recording in the page; null if the page was not built.
    private async Task<RecordingReader?> ReadTailAsync(string folder)
    {
        var page = Path.Combine(Folder.Path, folder, "post-mortem.html");
        if (!File.Exists(page))
        {
            return null;
        }

        var tail = Path.Combine(Folder.Path, "tail.mcap");
        var text = await File.ReadAllTextAsync(page, Ct);
        await File.WriteAllBytesAsync(tail, Convert.FromBase64String(text.Split("data-name=\"post-mortem.mcap\">")[1].Split("</script>")[0]), Ct);
        return RecordingReader.Open(tail);
    }

    private BridgeProcess Match(string target, string fault, IEnumerable<string> options)
    {
        List<string> words = [.. options, "--lockstep-deadline", fault == "slow" || target == "bridge" ? "60" : "3"];
        if (fault == "slow" && !words.Contains("--post-mortem"))
        {
            words.AddRange(["--post-mortem", "always"]);
        }

        return Folder.Match(
            words,
            [
                ("LC_SC2BRIDGE_FAULT", $"{target} {fault} {Loop} {Fault}"),
                .. target == "agent" ? [] : ((string, string)[])[("DOTNET_STARTUP_HOOKS", typeof(PostMortemTests).Assembly.Location)],
                .. target == "agent" || fault != "memory" ? [] : ((string, string)[])[("DOTNET_GCHeapHardLimit", "0x18000000")],
            ]);
    }

    private JsonElement Names(string kind, string who, int firstLoop, int lastLoop)
    {
        var report = Read("out");
        var cause = report.GetProperty("cause");
        output.WriteLine($"{cause.GetProperty("kind")} | {cause.GetProperty("who")} | {cause.GetProperty("game_loop")} | {cause.GetProperty("text")}");
        Assert.Equal(kind, cause.GetProperty("kind").GetString());
        Assert.StartsWith(who, cause.GetProperty("who").GetString(), StringComparison.Ordinal);
        Assert.InRange(cause.GetProperty("game_loop").GetInt32(), firstLoop, lastLoop);
        var page = new FileInfo(Path.Combine(Folder.Out, "post-mortem.html"));
        Assert.True(!page.Exists || page.Length <= 5_000_000);
        return report;
    }

    private JsonElement Read(string folder)
    {
        var file = Path.Combine(Folder.Path, folder, "post-mortem.json");
        Assert.True(File.Exists(file), "no post-mortem was written");
        using var report = JsonDocument.Parse(File.ReadAllBytes(file));
        return report.RootElement.Clone();
    }

    // The state of a process is the first letter after its name.
    private static bool IsSuspended(int process)
    {
        var stat = File.ReadAllText($"/proc/{process}/stat");
        return stat[stat.LastIndexOf(')') + 2] == 'T';
    }
}
