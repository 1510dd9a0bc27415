using System.CommandLine;
using static Sc2Bridge.Terminal.OptionKinds;

namespace Sc2Bridge.Bench;

/// <summary>The options of <c>sc2bridge compare</c>.</summary>
internal static class CompareCommand
{
    internal static Command Create()
    {
        var quick = Flag("--quick", "the modes at 16 and 22.4 steps a second, within a minute");
        var recording = Text(
            "--recording", null, "FILE", "compare over this recording (.mcap); else over a simulated match");
        var from = GameLoop("--from", "the game loop of the recording to begin at (default: the first)");
        var only = new Option<string[]>("--only")
        {
            HelpName = "WORD",
            Description = "only tables and measurements whose name has this word; once for each",
        };
        var rounds = Number("--rounds", 0, "N", "rounds of each measurement, 0 for the usual number", 0, 1_000);
        var seconds = Seconds("--seconds", null, "how long each measurement is received in a round");
        var json = Text("--json", null, "FILE", "write the results there too, every round of every measurement");
        var csv = Text("--csv", null, "FILE", "write a row for each measurement there");
        var html = Text(
            "--html", null, "FILE", "write the report there: one page with every figure, which needs no network");
        var folder = Text(
            "--out", null, "DIR",
            "keep each run there as it is made: the same command goes on where a stopped one was");
        var pythons = new Option<string[]>("--python")
        {
            HelpName = "PATH",
            Description = "a Python interpreter with the sc2bridge package; once for each (default: the one that was "
                + "set up); the first is the baseline's",
        };
        var command = new Command("compare", "Compares the transports, side by side, from the game to the agent.")
        {
            quick, recording, from, only, rounds, seconds, json, csv, html, folder, pythons, SendingProcess.Create(),
            ReceivingProcess.Create(),
        };
        command.SetAction((parsed, cancellation) => Failures.ReportAsync(() => new CompareSession(new CompareOptions
        {
            Quick = parsed.GetValue(quick),
            Recording = parsed.GetValue(recording),
            From = parsed.GetValue(from),
            Only = parsed.GetValue(only) ?? [],
            Rounds = (int)parsed.GetValue(rounds),
            Seconds = parsed.GetValue(seconds)?.TotalSeconds,
            JsonFile = parsed.GetValue(json),
            CsvFile = parsed.GetValue(csv),
            HtmlFile = parsed.GetValue(html),
            Folder = parsed.GetValue(folder),
            Pythons = parsed.GetValue(pythons) is { Length: > 0 } named ? named : [PythonInterpreter.Find(null)],
        }).RunAsync(cancellation)));
        return command;
    }
}

/// <summary>What <c>sc2bridge compare</c> was asked for: null, 0 or nothing where the plan's own is meant.</summary>
internal sealed record CompareOptions
{
    internal bool Quick { get; init; }
    internal string? Recording { get; init; }
    internal uint? From { get; init; }
    internal IReadOnlyList<string> Only { get; init; } = [];
    internal int Rounds { get; init; }
    internal double? Seconds { get; init; }
    internal string? JsonFile { get; init; }
    internal string? CsvFile { get; init; }
    internal string? HtmlFile { get; init; }
    internal string? Folder { get; init; }
    internal required IReadOnlyList<string> Pythons { get; init; }
}
