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
        var json = Json("the report");
        var fights = Flag(
            "--fights", "show [what decided the match](analysis.md): fights, expansions, supply blocks, idle production, unspent resources, failed actions; adds this analysis to a recording that lacks it");
        var picture = Text(
            "--picture", null, "FILE.png", "draw bytes and latency over the match (needs matplotlib)");
        var mapPicture = Text(
            "--map-picture", null, "FILE.png", "draw the map as an observation shows it: terrain, creep, sight, units by owner (needs matplotlib)");
        var loop = GameLoop("--loop", "the game loop of `--map-picture` (default: the last)");
        var video = Text(
            "--video", null, "FILE.mp4", "film the map, an image for each observation, at the game's pace; also `.mkv`, `.webm`, `.gif` (needs matplotlib and ffmpeg)");
        var from = GameLoop("--from", "the first game loop of `--video` (default: the first of the recording)");
        var to = GameLoop("--to", "the last game loop of `--video` (default: the last of the recording)");
        var observe = UnsignedNumber(
            "--observe", "N", "the perspective that `--map-picture` and `--video` show: a player id, or 0 (default: the first perspective of the recording)",
            "a player id, or 0 for an observer of all");
        var repair = Text("--repair", null, "OUT", "write the complete frames of a damaged recording to a new recording");
        var foxglove = Text("--foxglove", null, "OUT.mcap", "write a copy that [Foxglove](../guide/foxglove.md) shows as scenes and grids");
        var viewer = Text(
            "--viewer", null, "OUT.html", $"write a page with the recording inside, which [shows the match](../guide/page.md#the-viewer) in any browser, without this program; at most {ViewerCopy.MostBytes / 1_000_000} MB");
        var python = Text("--python", null, "PATH", "the Python interpreter that draws; it needs the sc2bridge package");
        var command = new DocumentedCommand("inspect", "Shows what a recording holds, checks it, and repairs it.")
        {
            Examples =
            [
                ("why a match was lost", "inspect match.mcap --fights"), ("repair a damaged recording", "inspect match.mcap --repair clean.mcap"),
                ("a page to attach to an issue", "inspect match.mcap --viewer match.html"),
            ],
            CommonOptions = [fights, json, picture, mapPicture, loop, video, repair, foxglove, viewer],
            Remarks = "The exit code is 1 if the recording is damaged.",
        };
        command.Add(file);
        command.Add(
            new("reports", json, fights), new("pictures", picture, mapPicture, loop, video, from, to, observe, python),
            new OptionGroup("copies", repair, foxglove, viewer));
        command.SetAction((parsed, cancellation) =>
        {
            var path = parsed.GetRequiredValue(file);
            if (Replay.HasReplayExtension(path))
            {
                throw new CommandException(
                    $"{path} is a replay, and inspect reads recordings: watch it with 'sc2bridge replay', or make recordings of it "
                    + "with 'sc2bridge record', and inspect those");
            }

            if ((!File.Exists(path) || new FileInfo(path).Length == 0) && File.Exists(PartialFile.PathFor(path)))
            {
                // The match still runs, or its recording was not completed, so only the partial file has content.
                path = PartialFile.PathFor(path);
            }

            var copies = new[] { repair, foxglove, viewer }.Where(copy => parsed.GetValue(copy) is not null).ToList();
            CheckHasPicture(parsed, [mapPicture], loop);
            CheckHasPicture(parsed, [video], from, to);
            CheckHasPicture(parsed, [mapPicture, video], observe);
            if (copies.Count == 0)
            {
                string[] perspectiveWords = parsed.GetValue(observe) is { } number ? ["--observe", $"{number}"] : [];
                return InspectAsync(
                    path,
                    parsed.GetValue(json),
                    parsed.GetValue(fights),
                    parsed.GetValue(picture),
                    new("map", "can-draw", parsed.GetValue(mapPicture), [.. WordsOfGiven(parsed, loop), .. perspectiveWords]),
                    new("film", "can-film", parsed.GetValue(video), [.. WordsOfGiven(parsed, from, to), .. perspectiveWords]),
                    parsed.GetValue(python),
                    cancellation);
            }

            if (copies.Count > 1)
            {
                throw new CommandException(
                    "--repair, --foxglove and --viewer each write a copy: give one option now, and then another option for that copy");
            }

            var target = parsed.GetValue(copies[0])!;
            return !parsed.GetValue(fights) && new[] { json, picture, mapPicture, video }.All(shown => parsed.GetValue(shown) is null)
                ? Task.Run(
                    () => copies[0] == repair ? Repair(path, target, cancellation)
                        : copies[0] == viewer ? WriteViewer(path, target, cancellation) : CopyForFoxglove(path, target, cancellation),
                    cancellation)
                : throw new CommandException(
                    $"{copies[0].Name} only writes a copy: leave out --json, --fights and all pictures, and inspect the copy");
        });
        return command;
    }

    private static void CheckHasPicture(ParseResult parsed, Option<string?>[] pictures, params Option<uint?>[] options)
    {
        if (pictures.All(picture => parsed.GetValue(picture) is null)
            && OptionSet.FirstGiven(parsed, options) is { } alone)
        {
            var which = string.Join(" and ", pictures.Select(picture => picture.Name));
            throw new CommandException($"{alone.Name} is for {which}: add that option, or leave out {alone.Name}");
        }
    }

    private static IEnumerable<string> WordsOfGiven(ParseResult parsed, params Option<uint?>[] options) =>
        from option in options
        where parsed.GetValue(option) is not null
        from word in (string[])[option.Name, $"{parsed.GetValue(option)}"]
        select word;

    // A picture or a video of the map. Python draws it from the recording.
    private sealed record MapDrawing(string Command, string Check, string? File, IReadOnlyList<string> Options);

    // A damaged file is shown up to the damage. The exit code then reports a failure.
    private static async Task<int> InspectAsync(
        string path, string? jsonFile, bool fights, string? pictureFile, MapDrawing map, MapDrawing film, string? python, CancellationToken ct)
    {
        ResultFile.CheckDistinct([jsonFile, pictureFile, map.File, film.File], [(path, "the recording itself")]);
        using var json = ResultFile.Open(jsonFile);
        using var picture = ResultFile.Open(pictureFile);
        using var mapFile = ResultFile.Open(map.File);
        using var filmFile = ResultFile.Open(film.File);
        var interpreter = PythonInterpreter.Find(python);
        if (picture is not null)
        {
            await PythonScripts.CheckDrawingAsync(interpreter, picture.Path, ct);
        }

        (MapDrawing Drawing, ResultFile? File)[] drawings = [(map, mapFile), (film, filmFile)];
        foreach (var (drawing, target) in drawings.Where(one => one.File is not null))
        {
            await ProcessRun.RunToEndAsync(PythonScripts.CreateStartInfo(interpreter, drawing.Check, target!.Path), ct);
        }

        var isStillWritten = false;
        if (path.EndsWith(PartialFile.Suffix, StringComparison.Ordinal))
        {
            // If the bridge that wrote the file has ended, the repair gives the file its final name.
            path = new OutputRepair(Printing.PrintMessage).RepairNamed(path);
            isStillWritten = path.EndsWith(PartialFile.Suffix, StringComparison.Ordinal)
                && LockFile.IsHeld(LockFile.PathFor(path[..^PartialFile.Suffix.Length]));
        }

        var report = RecordingInspection.Inspect(path, isStillWritten, ct);
        Failures.MarkCommandBegun();
        if (isStillWritten)
        {
            Printing.PrintMessage($"{path} is being written: this is what it holds so far");
        }

        if (fights)
        {
            try
            {
                report = report with { Analysis = KeptAnalysis.ReadOrAdd(path, !isStillWritten && report.Damage.Count == 0, Printing.PrintMessage, ct) };
            }
            catch (RecordingException problem)
            {
                // The rest of the report is still shown.
                report = report with { Damage = [.. report.Damage.Union([problem.Message])] };
            }
        }

        if (json?.IsStandardOutput != true)
        {
            InspectTables.Print(Consoles.CreateForOutput(), report);
        }

        var text = JsonReports.Text(report, JsonReports.Default.InspectionReport);
        json?.Write(text);
        if (picture is not null)
        {
            await PythonScripts.DrawAsync(interpreter, text, picture.Path, ct);
            picture.MarkWritten();
        }

        foreach (var (drawing, target) in drawings.Where(one => one.File is not null))
        {
            await ProcessRun.RunToEndAsync(PythonScripts.CreateStartInfo(interpreter, [drawing.Command, path, target!.Path, .. drawing.Options]), ct);
            target.MarkWritten();
        }

        foreach (var line in report.Damage)
        {
            await Console.Error.WriteLineAsync($"sc2bridge: {line}");
        }

        return report.Damage.Count == 0 ? 0 : 1;
    }

    private static int WriteViewer(string path, string target, CancellationToken ct)
    {
        using var built = typeof(InspectCommand).Assembly.GetManifestResourceStream("viewer.html")
            ?? throw new CommandException("this program has no viewer: build it with tools/set-up --page");
        using var reader = new StreamReader(built);
        var size = ViewerCopy.Write(path, target, reader.ReadToEnd(), ct, Failures.MarkCommandBegun);
        Console.WriteLine(string.Create(
            CultureInfo.InvariantCulture, $"{target}: the viewer, with the recording of {size / 1e6:0.0} MB inside: open it in a browser"));
        return 0;
    }

    private static int CopyForFoxglove(string path, string target, CancellationToken ct)
    {
        var added = FoxgloveCopy.Write(path, target, ct, Failures.MarkCommandBegun);
        Console.WriteLine(string.Create(
            CultureInfo.InvariantCulture,
            $"{target}: the recording, and {added:N0} messages for Foxglove (layout: docs/foxglove-layout.json)"));
        return 0;
    }

    private static int Repair(string path, string target, CancellationToken ct)
    {
        var report = RecordingRepair.Repair(path, target, ct, Failures.MarkCommandBegun);
        foreach (var line in report.LeftOut)
        {
            Console.WriteLine($"left out: {line}");
        }

        Console.WriteLine(string.Create(
            CultureInfo.InvariantCulture,
            $"{target}: {report.Observations:N0} observations kept ({report.Messages:N0} messages)"));
        if (report.Observations == 0)
        {
            throw new CommandException($"{path} has no complete observation: record the match again");
        }

        return 0;
    }
}
