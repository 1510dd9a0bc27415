using System.Text.Json;
using System.Text.RegularExpressions;

namespace Sc2Bridge.Functional.Tests;

/// <summary>What goes to standard output, which programs read, and to standard error, which people read.</summary>
public sealed partial class OutputTests : IDisposable
{
    private const string Cursor = "\e[?25";

    private static readonly string _sample = Path.Combine(PeerEnvironment.RepositoryRoot, "recordings", "sample.mcap");

    private MatchFolder Folder { get; } = new();

    [Fact]
    public async Task Results_go_to_standard_output_and_everything_else_to_standard_error()
    {
        var ended = await Folder.PlayAsync("--steps", "20", "--agent", "sc2bridge.agents:Watcher@grpc");
        ended.Well();
        Assert.StartsWith("\nbytes a step (simulated; steps counts observations)\n", ended.Output, StringComparison.Ordinal);
        Assert.Matches(@"\nended \(step limit\) at game loop 19 after 20 observations in .* s$", ended.Output);
        Assert.All(
            (string[])["Game: simulated", "gRPC on 127.0.0.1:", "[watcher-1-grpc] ", "20 frames, loops 0-19"],
            words =>
            {
                Assert.Contains(words, ended.Told, StringComparison.Ordinal);
                Assert.DoesNotContain(words, ended.Output, StringComparison.Ordinal);
            });
        var recording = Path.Combine(Folder.Out, "match.mcap");
        Assert.Contains($"\nrecording: {recording}, ", ended.Output, StringComparison.Ordinal);
        Assert.EndsWith(
            $"""
            Watch it:     sc2bridge replay {recording} --open
            Analyse it:   sc2bridge inspect {recording} --fights
            Files:        summary.json, steps.csv, agents.csv, bridge.log in {Folder.Out}
            """,
            ended.Told, StringComparison.Ordinal);
    }

    [Fact]
    public async Task Quiet_leaves_errors_and_results_and_verbose_adds_the_log()
    {
        var quiet = await Folder.PlayAsync("--steps", "20", "-q", "--agent", "sc2bridge.agents:Watcher@grpc");
        Assert.Equal("", quiet.Told);
        Assert.Matches(@"^ended \(step limit\) at game loop 19 after 20 observations in .* s$", quiet.Output);
        var verbose = await Folder.PlayAsync("--steps", "2", "--no-agents", "--no-recording", "--out", $"{Folder.Out}2", "--verbose");
        Assert.Matches(@"(?m)^Hub: match \S+ begins on Cinder Fortress LE$", verbose.Told);
        Assert.DoesNotContain("Watch it:", verbose.Told, StringComparison.Ordinal);
        Assert.EndsWith($"Files:        summary.json, steps.csv, agents.csv, bridge.log in {Folder.Out}2", verbose.Told, StringComparison.Ordinal);
        (await Folder.PlayAsync("--quiet", "--verbose")).Says(2, "--quiet contradicts --verbose");
        var failed = await Folder.PlayAsync("--quiet", "--steps", "20", "--out", $"{Folder.Out}3", "--agent", "leaver:Leaver");
        failed.Says(1, "left before the match had ended: --quiet hides its lines: play the match without --quiet to see them");
    }

    [Theory]
    [InlineData(true)]
    [InlineData(false)]
    public async Task Programs_read_addresses_and_the_summary_as_a_line_of_json_each(bool plays)
    {
        string[] words = ["--json", "-", "--wait", "1", "--no-agents"];
        using var match = plays ? Folder.Match(["--steps", "20", .. words]) : Folder.Replay(_sample, words);
        using var listening = JsonDocument.Parse(await match.LineAsync("\"listening\""));
        var first = listening.RootElement;
        Assert.Equal("listening", Text(first, "event"));
        Assert.Equal(match.Id, first.GetProperty("pid").GetInt32());
        Assert.Equal(Folder.Out, plays ? Text(first, "out") : Folder.Out);
        Assert.Matches("^http://127.0.0.1:[0-9]+/$", Text(first, "page"));
        using (var agent = BridgeProcess.Start(
            [MatchFolder.Python, "-m", "sc2bridge", "run", "sc2bridge.agents:Watcher", "--bridge", Text(first, "web")]))
        {
            (await agent.EndAsync()).Well();
        }

        var ended = await match.EndAsync();
        ended.Well();
        var events = ended.Output.Split('\n').Select(line => JsonDocument.Parse(line).RootElement).ToList();
        Assert.Equal(["listening", "match", "summary"], events.Select(one => Text(one, "event")));
        Assert.Equal(plays ? 20 : 150, events[2].GetProperty("figures").GetProperty("steps").GetInt32());
        Assert.Equal(Text(events[1], "match"), Text(events[2], "match"));
        Assert.Contains(Text(first, "grpc"), ended.Told, StringComparison.Ordinal);
        Assert.Contains("--wait: the match begins when 1 other agent has subscribed (Ctrl-C stops the wait)", ended.Told, StringComparison.Ordinal);
    }

    [Fact]
    public async Task A_json_report_replaces_the_tables()
    {
        var inspect = await RunAsync("inspect", _sample);
        Assert.StartsWith("recording    ", inspect.Output, StringComparison.Ordinal);
        Assert.Equal("", inspect.Told);
        Assert.Equal("Cinder Fortress LE", Text(Json(await RunAsync("inspect", _sample, "--json", "-")).GetProperty("match"), "map"));

        string[] export = ["export", _sample, "--parquet", Path.Combine(Folder.Path, "tables")];
        var exported = await RunAsync(export);
        Assert.Matches("^1 exported, 0 were there, 0 failed, in .*$", exported.Output);
        Assert.Matches("^1 of 1: sample: 150 observations, .* s$", exported.Told);
        var report = Json(await RunAsync([.. export, "--json", "-"]));
        Assert.Equal(1, report.GetProperty("were_there").GetInt32());
        Assert.Equal("sample", Text(report.GetProperty("matches")[0], "name"));

        string[] doctor = ["doctor", "--game", "simulated", "--grpc", "127.0.0.1:0", "--web", "127.0.0.1:0", "--python", MatchFolder.Python];
        Assert.EndsWith("\na match can be played", (await RunAsync(doctor)).Output, StringComparison.Ordinal);
        Assert.Equal("program", Text(Json(await RunAsync([.. doctor, "--json", "-"])).GetProperty("findings")[0], "subject"));
    }

    [Theory]
    [InlineData(40)]
    [InlineData(80)]
    [InlineData(100)]
    [InlineData(120)]
    public async Task On_a_terminal_nothing_wraps_also_if_the_results_go_to_a_file(int columns)
    {
        using var match = OnTerminal(columns, "unset NO_COLOR", ["--rate", "100", "--steps", "300"]);
        var ended = await match.EndAsync();
        Assert.Equal(0, ended.ExitCode);
        Assert.Contains("ended (step limit)", await File.ReadAllTextAsync(Path.Combine(Folder.Path, "results"), Ct), StringComparison.Ordinal);
        var rows = Sequences().Replace(ended.Output, "").Split('\n', '\r');
        Assert.Contains(rows, row => row.StartsWith('━') && row.Contains(" %  0:0", StringComparison.Ordinal));
        Assert.Contains(rows, row => row.StartsWith("watcher-1-grpc  0 behind", StringComparison.Ordinal));
        Assert.All(rows.Where(row => row.Contains('─') || row.Contains(" behind")), row => Assert.InRange(row.Length, 1, columns - 1));
        Assert.Contains("\e[38;5;", ended.Output, StringComparison.Ordinal);
        Assert.True(ended.Output.LastIndexOf($"{Cursor}h", StringComparison.Ordinal) > ended.Output.LastIndexOf($"{Cursor}l", StringComparison.Ordinal));
    }

    [Fact]
    public async Task After_an_interrupt_the_terminal_is_as_before_and_NO_COLOR_keeps_colours_away()
    {
        using var match = OnTerminal(80, "export NO_COLOR=1", ["--rate", "22.4"]);
        await match.LineAsync(" %");
        match.Type("\u0003");
        var ended = await match.EndAsync();
        Assert.Equal(130, ended.ExitCode);
        Assert.True(ended.Output.LastIndexOf($"{Cursor}h", StringComparison.Ordinal) > ended.Output.LastIndexOf($"{Cursor}l", StringComparison.Ordinal));
        Assert.DoesNotContain("\e[38;5;", ended.Output, StringComparison.Ordinal);
    }

    /// <inheritdoc/>
    public void Dispose() => Folder.Dispose();

    // The results go to a file. In CI, no progress bar is shown.
    private BridgeProcess OnTerminal(int columns, string prepare, string[] options)
    {
        var script = $"{prepare}; unset CI GITHUB_ACTIONS; stty cols {columns} rows 24; exec \"$@\" > {Path.Combine(Folder.Path, "results")}";
        return Folder.Match(
            [.. options, "--agent", "sc2bridge.agents:Watcher@grpc"], [("TERM", "xterm-256color")],
            [.. BridgeProcess.Terminal(), "sh", "-c", script, "sh"]);
    }

    private static async Task<Ended> RunAsync(params string[] words)
    {
        using var program = BridgeProcess.Start(words.AsEnumerable());
        var ended = await program.EndAsync();
        Assert.True(ended.ExitCode == 0, ended.Told);
        return ended;
    }

    private static JsonElement Json(Ended ended) => JsonDocument.Parse(ended.Output).RootElement;

    private static string Text(JsonElement element, string name) => element.GetProperty(name).GetString()!;

    [GeneratedRegex(@"\e\[[0-9;?]*[A-Za-z]")]
    private static partial Regex Sequences();
}
