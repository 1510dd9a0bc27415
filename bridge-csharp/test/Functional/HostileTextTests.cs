using System.Text.Json;
using Microsoft.Extensions.Logging;
using Sc2Bridge.Cli;

namespace Sc2Bridge.Functional.Tests;

/// <summary>Texts of recordings and of errors neither command a terminal nor forge a line.</summary>
public sealed class HostileTextTests : IDisposable
{
    private const string Forged = "2026-01-01 00:00:00.000 ERROR forged";

    private readonly MatchFolder _folder = new();

    public void Dispose() => _folder.Dispose();

    [Fact]
    public async Task Of_a_recording_they_reach_neither_the_console_nor_the_log()
    {
        var recording = Path.Combine(_folder.Path, "hostile.mcap");
        var json = Path.Combine(_folder.Path, "report.json");
        await File.WriteAllBytesAsync(recording, SampleRecording.MakeWith(Hostile).Bytes, TestContext.Current.CancellationToken);

        using var inspect = BridgeProcess.Start([.. BridgeProcess.Program, "inspect", recording, "--json", json]);
        var inspected = await inspect.EndAsync();
        inspected.Well();
        ShowsEscaped(inspected.Output, "map", "player", "gap", "reason");

        using var replay = _folder.Replay(recording, ["--rate", "max"]);
        var replayed = await replay.EndAsync();
        replayed.Well();
        ShowsEscaped(replayed.Output, "map");
        var log = await File.ReadAllTextAsync(
            Path.Combine(_folder.Path, "replay", BridgeLog.FileName), TestContext.Current.CancellationToken);
        ShowsEscaped(log, "map");

        // Data for programs stays what it was.
        using var report = JsonDocument.Parse(await File.ReadAllTextAsync(json, TestContext.Current.CancellationToken));
        Assert.Equal(Hostile("map"), report.RootElement.GetProperty("match").GetProperty("map").GetString());
    }

    [Fact]
    public void Of_an_error_they_begin_no_line_of_the_log()
    {
        var warned = new List<string>();
        using (var log = BridgeLog.Open(_folder.Path, LogLevel.Information, warned.Add, problem => Assert.Fail(problem)))
        {
            log.CreateLogger("Sc2Bridge.Test").Log(
                LogLevel.Error, 1, Hostile("text"), new InvalidOperationException(Hostile("error")), (text, _) => text);
        }

        var text = File.ReadAllText(Path.Combine(_folder.Path, BridgeLog.FileName));
        ShowsEscaped(text, "text", "error");
        ShowsEscaped(Assert.Single(warned), "text");
        Assert.All(text.TrimEnd('\n').Split('\n')[1..], line => Assert.StartsWith("    ", line, StringComparison.Ordinal));
    }

    private static string Hostile(string name) => $"{name}\u001b]0;title\u0007\u009b2J\u202e\n{Forged}";

    private static void ShowsEscaped(string text, params string[] names)
    {
        Assert.All(names, name => Assert.Contains($@"{name}\x1b]0;title\x07\x9b2J\u202e", text, StringComparison.Ordinal));
        Assert.All(text.Split('\n'), line =>
        {
            Assert.False(line.StartsWith(Forged, StringComparison.Ordinal), line);
            Assert.DoesNotContain(line, letter => char.IsControl(letter) || letter == '\u202e');
        });
    }
}
