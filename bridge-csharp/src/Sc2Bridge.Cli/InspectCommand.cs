using System.CommandLine;
using System.Globalization;
using Sc2Bridge.Recordings;
using static Sc2Bridge.Terminal.OptionKinds;

namespace Sc2Bridge.Cli;

/// <summary>The command <c>sc2bridge inspect</c>.</summary>
internal static class InspectCommand
{
    internal static Command Create()
    {
        var file = new Argument<string>("FILE") { Description = "a recording (.mcap)" };
        var json = Text("--json", null, "FILE", "write what it shows there too");
        var picture = Text(
            "--picture", null, "FILE.png", "draw bytes and latency along the match there (needs matplotlib)");
        var repair = Text("--repair", null, "OUT", "write what is whole of a damaged recording there, as a clean one");
        var python = Text("--python", null, "PATH", "what draws: a Python interpreter with the sc2bridge package");
        var command = new Command("inspect", "Shows what a recording holds, checks it, and repairs it.")
        {
            file, json, picture, repair, python,
        };
        command.SetAction((parsed, cancellation) => Failures.ReportAsync(() =>
        {
            var path = parsed.GetRequiredValue(file);
            if (parsed.GetValue(repair) is not { } target)
            {
                return InspectAsync(
                    path, parsed.GetValue(json), parsed.GetValue(picture), parsed.GetValue(python), cancellation);
            }

            return parsed.GetValue(json) is null && parsed.GetValue(picture) is null
                ? Task.Run(() => Repair(path, target, cancellation), cancellation)
                : throw new CommandException(
                    "--repair shows nothing: leave --json and --picture out, and inspect what it writes");
        }));
        return command;
    }

    // A damaged file is shown as far as it goes, and is a failure then.
    private static async Task<int> InspectAsync(
        string path, string? jsonFile, string? pictureFile, string? python, CancellationToken ct)
    {
        ResultFile.CheckApart([jsonFile, pictureFile], [(path, "the recording itself")]);
        using var json = ResultFile.Open(jsonFile);
        using var picture = ResultFile.Open(pictureFile);
        var painter = PythonInterpreter.Find(python);
        if (picture is not null)
        {
            await PythonScripts.CheckDrawingAsync(painter, picture.Path, ct);
        }

        if (path.EndsWith(PartialFile.Suffix, StringComparison.Ordinal))
        {
            // Of a bridge that is gone: it gets its name.
            path = new CutOutput(Console.WriteLine).RepairNamed(path);
        }

        var report = RecordingInspection.Inspect(path, ct);
        InspectTables.Print(Consoles.Make(), report);
        var text = JsonReport.Text(report);
        json?.Write(text);
        if (picture is not null)
        {
            await PythonScripts.DrawAsync(painter, text, picture.Path, ct);
            picture.Keep();
        }

        foreach (var line in report.Damage)
        {
            await Console.Error.WriteLineAsync($"sc2bridge: {line}");
        }

        return report.Damage.Count == 0 ? 0 : 1;
    }

    private static int Repair(string path, string target, CancellationToken ct)
    {
        var report = RecordingRepair.Repair(path, target, ct);
        foreach (var line in report.LeftOut)
        {
            Console.WriteLine($"left out: {line}");
        }

        Console.WriteLine(string.Create(
            CultureInfo.InvariantCulture,
            $"{target}: {report.Messages:N0} messages, {report.Chunks:N0} chunks kept as they were"));
        return 0;
    }
}
