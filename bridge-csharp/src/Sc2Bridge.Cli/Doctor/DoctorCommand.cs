using System.CommandLine;
using System.Globalization;
using Sc2Bridge.GameApi;
using Sc2Bridge.Games;
using Sc2Bridge.Protocol;
using Sc2Bridge.Streaming;
using static Sc2Bridge.Terminal.OptionKinds;

namespace Sc2Bridge.Cli;

/// <summary>
/// The command <c>sc2bridge doctor</c>: checks this machine, and compares the answers of the installed game and of
/// the simulated game.
/// </summary>
internal static class DoctorCommand
{
    private const string DefaultReport = "sc2bridge-doctor.json";

    private static readonly TimeSpan _usualPartLimit = TimeSpan.FromSeconds(15);

    internal static DocumentedCommand Create()
    {
        var play = Flag(
            "--play", "[play short matches on the game](../guide/doctor.md#how-a-game-compares) and compare it with the simulated game, in a few minutes");
        var partLimit = Seconds("--part-limit", null, "how long each of the five parts of `--play` may take (default: 15)");
        var map = Text("--map", new MatchSettings().Map, "NAME", "the map that you want to play");
        var grpc = Text("--grpc", SessionOptionSet.DefaultGrpc, "ADDR", "the gRPC server's address");
        var web = Text("--web", SessionOptionSet.DefaultWeb, "ADDR", "the WebSocket server's address");
        var python = Text("--python", null, "PATH", "the Python interpreter for agents");
        var json = Text(
            "--json", null, "FILE",
            $"write a report for an issue to this file; `-` writes the report to standard output instead of the findings (default: with `--play`, `{DefaultReport}`, else none)");
        var game = new GameOptionSet();
        var command = new DocumentedCommand("doctor", "Checks this machine for what a match needs, and says what to do if something is missing.")
        {
            Examples = [("whether a match can be played", "doctor")],
            Remarks = "Looks at installations of StarCraft II (`SC2PATH`, `ExecuteInfo.txt`, Windows' registry, the usual folders, Wine and Lutris), "
                + "their builds, maps and permissions, ports, Python with its packages, and disk. Each finding is `ok`, `note` or `PROBLEM`, with what to "
                + "do. The exit code is 1 if a match, or a part of `--play`, cannot be played. Differences do not change the exit code.",
        };
        command.Add([new("checks", play, partLimit, map, grpc, web, python, json), .. game.Groups]);

        command.SetAction(async (parsed, stopped) =>
        {
            var plays = parsed.GetValue(play);
            var limit = parsed.GetValue(partLimit);
            var options = game.Read(parsed);
            if (!plays && (game.FindOptionForPlaying(parsed) ?? (limit is null ? null : partLimit.Name)) is { } given)
            {
                throw new CommandException($"{given} is for playing on the game: add --play, or leave out {given}");
            }

            using var file = ResultFile.Open(parsed.GetValue(json) ?? (plays ? DefaultReport : null));
            List<Finding> findings = [MachineFindings.DescribeProgram(), .. CheckGame(options, parsed.GetValue(map)!)];
            findings.AddRange(MachineFindings.CheckPorts(parsed.GetValue(grpc)!, parsed.GetValue(web)!, options.Port));
            findings.Add(await MachineFindings.CheckPythonAsync(parsed.GetValue(python), stopped));
            findings.Add(MachineFindings.CheckDisk());
            Failures.MarkCommandBegun();
            Action<string> show = file?.IsStandardOutput == true ? _ => { } : Console.WriteLine;
            findings.ForEach(finding => Print(finding, show));
            var check = plays ? await PlayAsync(options, parsed.GetValue(map)!, limit ?? _usualPartLimit, findings, show, stopped) : null;
            var report = MakeReport(findings, plays, check, file?.Path ?? DefaultReport);
            file?.Write(JsonReports.Text(report, JsonReports.Default.DoctorReport));
            if (file is { IsStandardOutput: false })
            {
                Printing.PrintMessage($"report: {file.Path}");
            }

            if (report.Issue is not null)
            {
                Printing.PrintMessage($"to report this, open the link and attach the file: {report.Issue}");
            }

            var problems = findings.Count(finding => finding.Verdict == Verdict.Problem);
            show(problems == 0 ? "a match can be played" : $"{problems} {(problems == 1 ? "problem" : "problems")} to fix");
            return problems == 0 ? 0 : 1;
        });
        return command;
    }

    // If the game already runs (--attach), nothing is checked, because the game's installation and maps may be on another machine.
    private static IReadOnlyList<Finding> CheckGame(GameOptions options, string map) =>
        options.Attach is not null ? []
        : options.Game == GameChoice.Simulated ? [GameFindings.OfSimulatedGame(map)]
        : GameFindings.Make(map, needsGame: options.Game == GameChoice.Starcraft);

    private static async Task<GameCheckReport?> PlayAsync(
        GameOptions options, string map, TimeSpan partLimit, List<Finding> findings, Action<string> show, CancellationToken stopped)
    {
        GameCheckReport? check = null;
        List<Finding> played = [];
        try
        {
            var chosen = GameChooser.Choose(options, Printing.PrintMessage);
            var origin = chosen.Launch ?? (GameOrigin)chosen.Address!;
            check = await new GameCheck(origin, GameChooser.SimulatedLaunch(null), options.ClientOptions, partLimit)
                .RunAsync(map, Printing.PrintMessage, stopped);
            played.AddRange(PlayFindings.Of(check));
        }
        catch (Exception failed) when (failed is GameException or RequestRefusedException or MalformedMessageException)
        {
            played.Add(new Finding("game", Verdict.Problem, failed.Message));
        }

        played.ForEach(finding => Print(finding, show));
        foreach (var line in check is null ? [] : PlayFindings.DescribeDifferences(check))
        {
            show($"  {line}");
        }

        findings.AddRange(played);
        return check;
    }

    private static void Print(Finding finding, Action<string> show)
    {
        show($"{VerdictWord(finding),-8} {finding.Subject}: {finding.Found}");
        if (finding.Advice.Length > 0)
        {
            show($"{"",-8} → {finding.Advice}");
        }
    }

    private static string VerdictWord(Finding finding) => finding.Verdict switch
    {
        Verdict.Ok => "ok",
        Verdict.Note => "note",
        _ => "PROBLEM",
    };

    // Users publish the report, so it must not contain secrets or their names.
    private static DoctorReport MakeReport(List<Finding> findings, bool plays, GameCheckReport? check, string file)
    {
        var report = new DoctorReport(
            MachineFindings.Version,
            [
                .. findings.Select(finding => new FindingReport(
                    finding.Subject, VerdictWord(finding).ToLower(CultureInfo.InvariantCulture), finding.Found, finding.Advice)),
            ],
            check,
            null).Redact(AnonymousText.ForThisUser([], []));

        // The simulated game does not differ from itself, so there is nothing to report.
        return !plays || check is { Simulated: true, Differences.Count: 0 }
            ? report
            : report with { Issue = IssueLink.Make(report, Path.GetFileName(file)) };
    }
}
