using System.CommandLine;
using System.CommandLine.Parsing;
using System.Globalization;
using Sc2Bridge.Games;
using Sc2Bridge.Recordings;
using static Sc2Bridge.Terminal.OptionKinds;

namespace Sc2Bridge.Cli;

/// <summary>The command <c>sc2bridge inspect</c>.</summary>
internal static class InspectCommand
{
    internal static DocumentedCommand Create()
    {
        var file = new Argument<string>("FILE") { Description = "a recording (.mcap)" };
        var json = Json("what it shows");
        var fights = Flag(
            "--fights", "show [what decided the match](analysis.md): fights, expansions, supply blocks, idle production, unspent resources, failed actions; adds it to a recording that lacks it");
        var picture = Text(
            "--picture", null, "FILE.png", "draw bytes and latency over the match (needs matplotlib)");
        var mapPicture = Text(
            "--map-picture", null, "FILE.png", "draw the map as an observation shows it: terrain, creep, sight, units by owner (needs matplotlib)");
        var loop = GameLoop("--loop", "the game loop of `--map-picture` (default: the last)");
        var video = Text(
            "--video", null, "FILE.mp4", "film the map, an image for each observation, at the game's pace; also `.mkv`, `.webm`, `.gif` (needs matplotlib and ffmpeg)");
        var from = GameLoop("--from", "the first game loop of `--video` (default: the recording's)");
        var to = GameLoop("--to", "the last game loop of `--video` (default: the recording's)");
        var observe = Whole(
            "--observe", "N", "whose observations `--map-picture` and `--video` show: a player id, or 0 (default: the first that the recording has)",
            "a player id, or 0 for an observer of all");
        var repair = Text("--repair", null, "OUT", "write the whole frames of a damaged recording to a new one");
        var foxglove = Text("--foxglove", null, "OUT.mcap", "write a copy that [Foxglove](../guide/foxglove.md) shows as scenes and grids");
        var python = Text("--python", null, "PATH", "the Python interpreter that draws; it needs the sc2bridge package");
        var command = new DocumentedCommand("inspect", "Shows what a recording holds, checks it, and repairs it.")
        {
            Examples = [("why a match was lost", "inspect match.mcap --fights"), ("repair a damaged recording", "inspect match.mcap --repair clean.mcap")],
            Common = [fights, json, picture, mapPicture, loop, video, repair, foxglove],
            Remarks = "The exit code is 1 if the recording is damaged.",
        };
        command.Add(file);
        command.Add(
            new("reports", json, fights), new("pictures", picture, mapPicture, loop, video, from, to, observe, python),
            new OptionGroup("copies", repair, foxglove));
        command.SetAction((parsed, cancellation) => Failures.ReportAsync(() => FoundDamageAsync(() =>
        {
            var path = parsed.GetRequiredValue(file);
            if (Replay.IsNamedSo(path))
            {
                throw new CommandException(
                    $"{path} is a replay, and this is for recordings: watch it with 'sc2bridge replay', or make recordings of it "
                    + "with 'sc2bridge record', and inspect those");
            }

            if ((!File.Exists(path) || new FileInfo(path).Length == 0) && File.Exists(PartialFile.Of(path)))
            {
                // The match still runs, or its recording could not be completed.
                path = PartialFile.Of(path);
            }

            var copies = new[] { repair, foxglove }.Where(copy => parsed.GetValue(copy) is not null).ToList();
            RefuseAlone(parsed, [mapPicture], loop);
            RefuseAlone(parsed, [video], from, to);
            RefuseAlone(parsed, [mapPicture, video], observe);
            if (copies.Count == 0)
            {
                string[] whose = parsed.GetValue(observe) is { } number ? ["--observe", $"{number}"] : [];
                return InspectAsync(
                    path,
                    parsed.GetValue(json),
                    parsed.GetValue(fights),
                    parsed.GetValue(picture),
                    new("map", "can-draw", parsed.GetValue(mapPicture), [.. Given(parsed, loop), .. whose]),
                    new("film", "can-film", parsed.GetValue(video), [.. Given(parsed, from, to), .. whose]),
                    parsed.GetValue(python),
                    cancellation);
            }

            if (copies.Count > 1)
            {
                throw new CommandException("--repair and --foxglove each write a copy: give one, and then the other of what it has written");
            }

            var target = parsed.GetValue(copies[0])!;
            return !parsed.GetValue(fights) && new[] { json, picture, mapPicture, video }.All(shown => parsed.GetValue(shown) is null)
                ? Task.Run(
                    () => copies[0] == repair ? Repair(path, target, cancellation) : CopyForFoxglove(path, target, cancellation),
                    cancellation)
                : throw new CommandException(
                    $"{copies[0].Name} shows nothing: leave --json and all pictures out, and --fights, and inspect what it writes");
        })));
        return command;
    }

    // That nothing of a recording can be read is what the user wanted to know, and no wrong command line.
    private static async Task<int> FoundDamageAsync(Func<Task<int>> inspect)
    {
        try
        {
            return await inspect();
        }
        catch (RecordingException error) when (error.IsDamage)
        {
            Failures.Begin();
            throw;
        }
    }

    private static void RefuseAlone(ParseResult parsed, Option<string?>[] pictures, params Option<uint?>[] options)
    {
        if (pictures.All(picture => parsed.GetValue(picture) is null)
            && OptionSet.FirstGiven(parsed, options) is { } alone)
        {
            var which = string.Join(" and ", pictures.Select(picture => picture.Name));
            throw new CommandException($"{alone.Name} is for {which}: add that, or leave it out");
        }
    }

    private static IEnumerable<string> Given(ParseResult parsed, params Option<uint?>[] options) =>
        from option in options
        where parsed.GetValue(option) is not null
        from word in (string[])[option.Name, $"{parsed.GetValue(option)}"]
        select word;

    // A picture of the map, or a film, which Python makes of the recording itself.
    private sealed record MapView(string Command, string Check, string? File, IReadOnlyList<string> Options);

    // A damaged file is shown as far as it goes, and is a failure then.
    private static async Task<int> InspectAsync(
        string path, string? jsonFile, bool fights, string? pictureFile, MapView map, MapView film, string? python, CancellationToken ct)
    {
        ResultFile.CheckApart([jsonFile, pictureFile, map.File, film.File], [(path, "the recording itself")]);
        using var json = ResultFile.Open(jsonFile);
        using var picture = ResultFile.Open(pictureFile);
        using var mapFile = ResultFile.Open(map.File);
        using var filmFile = ResultFile.Open(film.File);
        var painter = PythonInterpreter.Find(python);
        if (picture is not null)
        {
            await PythonScripts.CheckDrawingAsync(painter, picture.Path, ct);
        }

        (MapView View, ResultFile? File)[] views = [(map, mapFile), (film, filmFile)];
        foreach (var (view, target) in views.Where(one => one.File is not null))
        {
            await ProcessRun.ToEndAsync(PythonScripts.Start(painter, view.Check, target!.Path), ct);
        }

        var isWritten = false;
        if (path.EndsWith(PartialFile.Suffix, StringComparison.Ordinal))
        {
            // Of a bridge that is gone: it gets its name.
            path = new CutOutput(Printing.PrintMessage).RepairNamed(path);
            isWritten = path.EndsWith(PartialFile.Suffix, StringComparison.Ordinal)
                && LockFile.IsHeld(LockFile.Of(path[..^PartialFile.Suffix.Length]));
        }

        var report = RecordingInspection.Inspect(path, isWritten, ct);
        Failures.Begin();
        if (isWritten)
        {
            Printing.PrintMessage($"{path} is being written: this is what it holds so far");
        }

        if (fights)
        {
            try
            {
                report = report with { Analysis = KeptAnalysis.Of(path, !isWritten && report.Damage.Count == 0, Printing.PrintMessage, ct) };
            }
            catch (RecordingException problem)
            {
                // Everything else is shown.
                report = report with { Damage = [.. report.Damage.Union([problem.Message])] };
            }
        }

        if (json?.IsOutput != true)
        {
            InspectTables.Print(Consoles.Make(), report);
        }

        var text = JsonReports.Text(report, JsonReports.Default.InspectionReport);
        json?.Write(text);
        if (picture is not null)
        {
            await PythonScripts.DrawAsync(painter, text, picture.Path, ct);
            picture.Keep();
        }

        foreach (var (view, target) in views.Where(one => one.File is not null))
        {
            await ProcessRun.ToEndAsync(PythonScripts.Start(painter, [view.Command, path, target!.Path, .. view.Options]), ct);
            target.Keep();
        }

        foreach (var line in report.Damage)
        {
            await Console.Error.WriteLineAsync($"sc2bridge: {line}");
        }

        return report.Damage.Count == 0 ? 0 : 1;
    }

    private static int CopyForFoxglove(string path, string target, CancellationToken ct)
    {
        var added = FoxgloveCopy.Write(path, target, ct, Failures.Begin);
        Console.WriteLine(string.Create(
            CultureInfo.InvariantCulture,
            $"{target}: the recording, and {added:N0} messages for Foxglove (layout: docs/foxglove-layout.json)"));
        return 0;
    }

    private static int Repair(string path, string target, CancellationToken ct)
    {
        var report = RecordingRepair.Repair(path, target, ct, Failures.Begin);
        foreach (var line in report.LeftOut)
        {
            Console.WriteLine($"left out: {line}");
        }

        Console.WriteLine(string.Create(
            CultureInfo.InvariantCulture,
            $"{target}: {report.Observations:N0} observations kept ({report.Messages:N0} messages)"));
        if (report.Observations == 0)
        {
            throw new CommandException($"{path} holds no whole observation: record the match again");
        }

        return 0;
    }
}
