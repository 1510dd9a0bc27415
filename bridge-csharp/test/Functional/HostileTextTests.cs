using System.Text.Json;
using Microsoft.Extensions.Logging;
using Sc2Bridge.Cli;

namespace Sc2Bridge.Functional.Tests;

/// <summary>Texts from recordings and errors cannot control a terminal or forge a line.</summary>
public sealed class HostileTextTests : MatchFolderTests
{
    private const string Forged = "2026-01-01 00:00:00.000 ERROR forged";

    [Fact]
    public async Task Control_characters_of_a_recording_reach_neither_the_console_nor_the_log()
    {
        var recording = Path.Combine(Folder.Path, "hostile.mcap");
        var json = Path.Combine(Folder.Path, "report.json");
        await File.WriteAllBytesAsync(recording, SampleRecording.MakeWith(Hostile).Bytes, Ct);

        using var inspect = BridgeProcess.Start([.. BridgeProcess.Program, "inspect", recording, "--json", json]);
        var inspected = await inspect.EndAsync();
        inspected.Well();
        ShowsEscaped(inspected.Output, "map", "player", "gap", "reason");

        using var replay = Folder.Replay(recording, ["--rate", "max"]);
        var replayed = await replay.EndAsync();
        replayed.Well();
        ShowsEscaped(replayed.Told, "map");
        var log = await File.ReadAllTextAsync(Path.Combine(Folder.Path, "replay", BridgeLog.FileName), Ct);
        ShowsEscaped(log, "map");

        // Data for programs is not escaped.
        using var report = JsonDocument.Parse(await File.ReadAllTextAsync(json, Ct));
        Assert.Equal(Hostile("map"), report.RootElement.GetProperty("match").GetProperty("map").GetString());
    }

    [Fact]
    public void Text_of_an_error_starts_no_new_line_in_the_log()
    {
        var warned = new List<string>();
        using (var log = BridgeLog.Open(Folder.Path, LogLevel.Information, warned.Add, problem => Assert.Fail(problem)))
        {
            log.CreateLogger("Sc2Bridge.Test").Log(
                LogLevel.Error, 1, Hostile("text"), new InvalidOperationException(Hostile("error")), (text, _) => text);
        }

        var text = File.ReadAllText(Path.Combine(Folder.Path, BridgeLog.FileName));
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
