using System.CommandLine;
using System.Diagnostics;
using System.Globalization;
using Sc2Bridge.Recordings;
using Sc2Bridge.Tables;
using static Sc2Bridge.Terminal.OptionKinds;

namespace Sc2Bridge.Cli;

/// <summary>The content of <c>match.json</c> in a match's folder of tables.</summary>
/// <param name="Schema">The version of the format of this file and of the tables. If it is not the current version, the recording is exported again.</param>
/// <param name="Recording">The recording's path.</param>
/// <param name="RecordingBytes">The size of the recording.</param>
/// <param name="RecordingWritten">When the recording was last written.</param>
/// <param name="Map">The map's name.</param>
/// <param name="Simulated">Whether the game was the simulated game.</param>
/// <param name="Perspectives">The perspectives: player ids, or 0 for an observer of all players.</param>
/// <param name="Bridge">The program that recorded the match, with its version.</param>
/// <param name="Match">The match: players, results, seed, versions.</param>
/// <param name="Tables">The written tables.</param>
internal sealed record ExportedMatch(
    int Schema, string Recording, long RecordingBytes, DateTime RecordingWritten, string Map, bool Simulated, IReadOnlyList<uint> Perspectives,
    string Bridge, MatchFacts Match, WrittenTables Tables);

/// <summary><c>sc2bridge export</c>: writes recordings as tables.</summary>
internal static class ExportCommand
{
    internal const string Extension = ".mcap";
    private const string FactsFile = "match.json";

    // Tables of version 1 lacked names and results.
    private const int Schema = 2;

    internal static DocumentedCommand Create()
    {
        var files = new Argument<string[]>("FILES")
        {
            Description = "recordings (.mcap), and folders of them",
            Arity = ArgumentArity.OneOrMore,
        };
        var parquet = Text("--parquet", null, "DIR", "write tables as Parquet, compressed with zstd, to this folder");
        var arrow = Text("--arrow", null, "DIR", "write tables as Arrow IPC files, which can be mapped into memory (large), to this folder");
        var jobs = Number("--jobs", Environment.ProcessorCount, "N", "how many recordings are exported at once", 1, 64, "the number of cores");
        var command = new DocumentedCommand("export", "Writes recordings as tables, with a folder for each recording. Tables that exist are not made again.")
        {
            Examples = [("all matches of a folder as Parquet", "export out --parquet tables")],
            Remarks = "[Tables](tables.md) describes the columns.",
        };
        command.Add(files);
        var json = Json("the results");
        command.Add(new OptionGroup("options", parquet, arrow, jobs, json));
        command.SetAction(async (parsed, cancellation) =>
        {
            (TableForm, string)[] targets =
            [
                .. from target in new[] { (Form: TableForm.Parquet, Folder: parsed.GetValue(parquet)), (Form: TableForm.Arrow, Folder: parsed.GetValue(arrow)) }
                   where target.Folder is not null
                   select (target.Form, target.Folder),
            ];
            if (targets.Length == 0)
            {
                throw new CommandException("choose a folder for the tables: --parquet DIR, --arrow DIR, or both");
            }

            var plan = PlanExport(parsed.GetRequiredValue(files));
            ResultFile.CheckDistinct([parsed.GetValue(json)], [.. plan.Select(one => ((string?)one.File, "a recording to export"))]);
            using var results = ResultFile.Open(parsed.GetValue(json));
            return await ExportAsync(plan, targets, (int)parsed.GetValue(jobs), results, cancellation);
        });
        return command;
    }

    // Returns each recording with the name of its match. For a recording in a folder that the user named, this name contains the path from that folder.
    private static (string Name, string File)[] PlanExport(IReadOnlyList<string> paths)
    {
        var all = new EnumerationOptions { RecurseSubdirectories = true };
        (string Name, string File)[] plan =
        [
            .. paths.SelectMany(path => Directory.Exists(path)
                    ? Directory.EnumerateFiles(path, "*" + Extension, all).Select(file => (Path.GetRelativePath(path, file), file))
                    : File.Exists(path) ? [(Path.GetFileName(path), path)]
                    : throw new CommandException($"recording or folder not found: '{path}': name another path"))
                .Select(one => (Path.ChangeExtension(one.Item1, null).Replace(Path.DirectorySeparatorChar, '.'), Path.GetFullPath(one.Item2)))
                .Distinct().OrderBy(one => one.Item1, StringComparer.Ordinal),
        ];
        if (plan.GroupBy(one => one.Name).FirstOrDefault(same => same.Count() > 1) is { } same)
        {
            throw new CommandException(
                $"{string.Join(" and ", same.Select(one => one.File))} would both get the folder match={same.Key}: name a folder that contains both");
        }

        return plan.Length > 0 ? plan : throw new CommandException($"{string.Join(", ", paths)}: no recordings ({Extension}) found: name other files or folders");
    }

    private static async Task<int> ExportAsync(
        (string Name, string File)[] plan, (TableForm Form, string Folder)[] targets, int jobs, ResultFile? json, CancellationToken ct)
    {
        Failures.MarkCommandBegun();
        var begin = Stopwatch.GetTimestamp();
        var progress = new ExportProgress(plan.Length, plan.Sum(one => new FileInfo(one.File).Length), TimeProvider.System);
        var console = new SessionConsole();
        using var ended = new CancellationTokenSource();
        var display = Task.Run(() => console.Messages.ShowProgressAsync(progress.Rows, TimeProvider.System, ended.Token), CancellationToken.None);
        var options = new ParallelOptions { MaxDegreeOfParallelism = jobs, CancellationToken = ct };
        try
        {
            await Parallel.ForEachAsync(plan, options, async (one, stop) =>
            {
                var result = await ExportAsync(one, targets, progress, stop);
                console.Print($"{progress.AddResult(result)} of {plan.Length}: {result.ToLine()}");
                if ((result.Problem ?? result.DescribeLoss()) is { } problem)
                {
                    console.PrintAlways($"sc2bridge: {problem}");
                }
            });
        }
        finally
        {
            await ended.CancelAsync();
            await display;
            await console.DrainAsync();
        }

        var report = progress.Report(Stopwatch.GetElapsedTime(begin));
        json?.Write(JsonReports.Text(report, JsonReports.Default.ExportReport));
        if (json?.IsStandardOutput != true)
        {
            console.Results.WriteLine(string.Create(
                CultureInfo.InvariantCulture,
                $"{report.Exported} exported, {report.WereThere} were there, {report.Failed} failed"
                + $"{(report.NotWhole > 0 ? $", {report.NotWhole} not whole (the recordings are damaged)" : "")}, in {report.Seconds:0.0} s "
                + $"({report.Observations / Math.Max(0.001, report.Seconds):N0} observations a second)"));
        }

        return report.Failed + report.NotWhole > 0 ? 1 : 0;
    }

    private static async Task<ExportResult> ExportAsync(
        (string Name, string File) one, (TableForm Form, string Folder)[] targets, ExportProgress progress, CancellationToken ct)
    {
        var since = Stopwatch.GetTimestamp();
        var result = new ExportResult(one.Name, one.File, [.. targets.Select(target => FolderOf(target.Folder, one.Name))]);
        try
        {
            var earlier = targets.Select(target => ReadEarlierExport(target.Folder, one)).ToArray();
            var missing = targets.Where((_, index) => earlier[index] is null).ToArray();
            return missing.Length == 0 ? result with { WasThere = true, Written = earlier[0]!.Tables } : result with
            {
                Written = await WriteAsync(one, missing, progress, ct),
                Seconds = Math.Round(Stopwatch.GetElapsedTime(since).TotalSeconds, 3),
            };
        }
        catch (Exception error) when (error is RecordingException or IOException or UnauthorizedAccessException)
        {
            return result with { Problem = error.Message };
        }
    }

    private static string FolderOf(string folder, string name) => Path.Combine(folder, $"match={name}");

    // Reads the earlier export of the same recording in a folder. Returns null if there is no earlier export, or if the recording or the schema has changed.
    private static ExportedMatch? ReadEarlierExport(string folder, (string Name, string File) one)
    {
        try
        {
            var text = File.ReadAllText(Path.Combine(FolderOf(folder, one.Name), FactsFile));
            var recording = new FileInfo(one.File);
            return System.Text.Json.JsonSerializer.Deserialize(text, JsonReports.Default.ExportedMatch) is { } exported
                && (exported.Schema, exported.RecordingBytes, exported.RecordingWritten) == (Schema, recording.Length, recording.LastWriteTimeUtc)
                ? exported : null;
        }
        catch (Exception error) when (error is DirectoryNotFoundException or FileNotFoundException or System.Text.Json.JsonException)
        {
            return null;
        }
    }

    // A folder gets its final name when all its files are complete.
    private static async Task<WrittenTables> WriteAsync(
        (string Name, string File) one, (TableForm Form, string Folder)[] targets, ExportProgress progress, CancellationToken ct)
    {
        // The time of the last write is read first. If the recording is replaced during the export, the next export sees another time and repeats the work.
        var lastWrite = File.GetLastWriteTimeUtc(one.File);
        using var recording = RecordingReader.Open(one.File);
        var observed = progress.BeginRecording(recording.FileLength, recording.Description.Perspectives.Sum(recording.Count));
        List<(TableForm Form, string Folder, LockFile Lock)> folders = [];
        try
        {
            foreach (var (form, parent) in targets)
            {
                Directory.CreateDirectory(parent);
                var folder = FolderOf(parent, one.Name);
                folders.Add((form, PartialFile.PathFor(folder), LockFile.Acquire(folder)));
                Delete(PartialFile.PathFor(folder));
                Directory.CreateDirectory(PartialFile.PathFor(folder));
            }

            var written = await RecordingTables.WriteAsync(
                recording, [.. folders.Select(target => (target.Form, target.Folder))], observed, ct);
            var match = recording.Description;
            var facts = JsonReports.Text(
                new ExportedMatch(
                    Schema, one.File, recording.FileLength, lastWrite, match.MapName, match.Simulated, [.. recording.Perspectives],
                    recording.Library, MatchFacts.Of(recording, written.Problem is null ? recording.ReadEnd() : null), written),
                JsonReports.Default.ExportedMatch);
            foreach (var (_, folder, _) in folders)
            {
                await File.WriteAllTextAsync(Path.Combine(folder, FactsFile), facts, ct);
                var whole = folder[..^PartialFile.Suffix.Length];
                Delete(whole);
                PartialFile.CommitFolder(folder, whole);
            }

            return written;
        }
        finally
        {
            foreach (var (_, folder, lockFile) in folders)
            {
                Delete(folder);
                lockFile.Dispose();
            }
        }
    }

    private static void Delete(string folder)
    {
        if (Directory.Exists(folder))
        {
            Directory.Delete(folder, recursive: true);
        }
    }
}
