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

    internal static DocumentedCommand Create()
    {
        var play = Flag(
            "--play", "[play two short matches on the game](../guide/doctor.md#how-a-game-compares) and compare its answers with the simulated game's");
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
                + "do. The exit code is 1 if a match cannot be played.",
        };
        command.Add([new("checks", play, map, grpc, web, python, json), .. game.Groups]);

        command.SetAction(async (parsed, stopped) =>
        {
            var plays = parsed.GetValue(play);
            var options = game.Read(parsed);
            if (!plays && game.FindOptionForPlaying(parsed) is { } given)
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
            var check = plays ? await PlayAsync(options, parsed.GetValue(map)!, findings, show, stopped) : null;
            file?.Write(JsonReports.Text(Report(findings, check), JsonReports.Default.DoctorReport));
            if (file is { IsStandardOutput: false })
            {
                Printing.PrintMessage($"report: {file.Path}");
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
        GameOptions options, string map, List<Finding> findings, Action<string> show, CancellationToken stopped)
    {
        var countBefore = findings.Count;
        GameCheckReport? check = null;
        try
        {
            var chosen = GameChooser.Choose(options, Printing.PrintMessage);
            check = await new GameCheck(chosen.Launch ?? (GameOrigin)chosen.Address!, GameChooser.SimulatedLaunch(null), options.ClientOptions)
                .RunAsync(map, Printing.PrintMessage, stopped);
            findings.Add(new Finding(
                "game", Verdict.Ok,
                $"{check.GameVersion} (build {check.BaseBuild}, data {check.DataBuild} {check.DataVersion}) on {check.Map}"));
            findings.Add(MakeComparison(
                "observations", check.Fields.Count,
                $"{check.CommonFields} fields in {check.Observations} observations are present in both games",
                $"{check.Fields.Count} fields occur in the observations of only one game, {check.CommonFields} in both"));
            findings.Add(MakeComparison(
                "API", check.Answers.Count,
                $"{check.Requests} requests were answered as the conformance table says",
                $"{check.Answers.Count} of {check.Requests} requests were not answered as the conformance table says"));
        }
        catch (Exception failed) when (failed is GameException or RequestRefusedException or MalformedMessageException)
        {
            findings.Add(new Finding("game", Verdict.Problem, failed.Message));
        }

        findings.Skip(countBefore).ToList().ForEach(finding => Print(finding, show));
        foreach (var field in check?.Fields ?? [])
        {
            show($"  {field.Of}: {field.Field}: the game {field.Game}, simulated {field.Simulated}");
        }

        foreach (var answer in check?.Answers ?? [])
        {
            show($"  {answer}");
        }

        return check;
    }

    private static Finding MakeComparison(string subject, int differences, string same, string different) => differences == 0
        ? new Finding(subject, Verdict.Ok, same)
        : new Finding(
            subject, Verdict.Note, different,
            "Attach the report to an issue of sc2bridge: it shows where the simulated game is wrong");

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

    // Users publish the report, so it must not contain their user names.
    private static DoctorReport Report(List<Finding> findings, GameCheckReport? check)
    {
        var anonymous = new AnonymousText(
            Environment.GetFolderPath(Environment.SpecialFolder.UserProfile), Environment.UserName, OperatingSystem.IsWindows());
        return new DoctorReport(
            MachineFindings.Version,
            [
                .. findings.Select(finding => new FindingReport(
                    finding.Subject, VerdictWord(finding).ToLower(CultureInfo.InvariantCulture), anonymous.Anonymize(finding.Found), anonymous.Anonymize(finding.Advice))),
            ],
            check is null ? null : check with { Answers = [.. check.Answers.Select(anonymous.Anonymize)] });
    }
}
