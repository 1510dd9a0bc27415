using System.Globalization;
using System.Runtime.InteropServices;
using System.Text;
using System.Text.Json;
using System.Text.Json.Nodes;
using Sc2Bridge.Recordings;
using Sc2Bridge.Streaming;
using Sc2Bridge.V1;

namespace Sc2Bridge.Cli;

/// <summary>Writes the post-mortem of a match into its folder.</summary>
/// <param name="folder">The match's folder.</param>
/// <param name="recording">The path of the recording; null if nothing was recorded.</param>
/// <param name="log">The path of the bridge's log.</param>
/// <param name="redaction">Removes private texts.</param>
internal sealed class PostMortemWriter(string folder, string? recording, string log, AnonymousText redaction)
{
    /// <summary>The largest page, in bytes.</summary>
    internal const int MostBytes = 5_000_000;

    /// <summary>Thirty seconds of game time, in game loops.</summary>
    internal const uint Loops = 672;

    // Five seconds: what happened after the failure is shown too.
    private const uint LoopsAfterCause = 112;

    private const int MostLogLines = 100;
    private const int LogTailBytes = 64 << 10;
    private const int MostFindings = 50;

    // A fifth of the page is left for the report, and for the elements around the report and the recording.
    private const int ReportRoomBytes = MostBytes / 5;
    private const int MostReportBytes = ReportRoomBytes - 1000;

    /// <summary>Writes the files.</summary>
    /// <param name="facts">What is known about the match.</param>
    /// <param name="python">The version of the agents' Python; empty if unknown.</param>
    /// <param name="ct">Skips what takes long: the report then lacks the recording, and perhaps the times.</param>
    /// <returns>A line that names the cause and the file.</returns>
    /// <exception cref="IOException">A file cannot be written, or would replace a file of another program.</exception>
    /// <exception cref="UnauthorizedAccessException">A file cannot be written.</exception>
    /// <exception cref="RecordingException">The page cannot be written.</exception>
    internal string Write(EndFacts facts, string python, CancellationToken ct)
    {
        var table = new StepTable(folder, facts.Troubles.Where(one => one.Step is not null).Select(one => (one.Perspective, one.Step!.Value)), ct);
        facts.GameLoop ??= table.Steps.Count > 0 ? table.Steps.Max(step => step.GameLoop) : null;
        var viewer = ReadViewer();
        var finder = new CauseFinder(facts, table.LoopOf);
        var cause = finder.Find([])[0];

        // If a match goes on after a failure, the recording shows the failure and not the match's end.
        var (tail, missing) = Cut((cause.GameLoop ?? int.MaxValue) + LoopsAfterCause, MostBytes - (viewer is null ? 0 : Encoding.UTF8.GetByteCount(viewer)), ct);
        var isFastest = facts.Rate is { Hz: 0, Realtime: false };
        var times = new StepSpans(facts, table, tail?.Steps ?? [], isFastest);
        var causes = finder.Find(times.Slowest);
        var report = new PostMortemReport(
            1, causes[0], DescribeMatch(facts),
            tail is null ? null : new(tail.Steps.Min(step => step.GameLoop), tail.Steps.Max(step => step.GameLoop)), missing,
            [.. causes.Skip(1).Take(MostFindings)], times.Steps, times.Slowest,
            [.. facts.Agents.Select(agent => Lines($"agent {agent.Name}", agent.Lines)), Lines("bridge", ReadLog())],
            [.. Tracebacks(facts)],
            new(MachineFindings.Version, RuntimeInformation.FrameworkDescription, python, RuntimeInformation.OSDescription),
            new(Environment.ProcessorCount, GC.GetGCMemoryInfo().TotalAvailableMemoryBytes, ReadCpu()), DateTime.UtcNow);
        var json = ToJson(report);

        KeptBundles.ClearFolder(folder);
        ResultFile.WriteAtomically(Path.Combine(folder, KeptBundles.JsonName), json);
        var page = Path.Combine(folder, KeptBundles.PageName);
        if (viewer is not null)
        {
            ViewerCopy.Write(tail?.Bytes, "post-mortem.mcap", viewer, KeptBundles.ReportId, json, page, CancellationToken.None);
        }

        var loop = causes[0].GameLoop is { } known ? string.Create(CultureInfo.InvariantCulture, $" at game loop {known}") : "";
        return $"post-mortem ({causes[0].Kind.Replace('_', ' ')}{loop}): {(viewer is null ? Path.Combine(folder, KeptBundles.JsonName) : page)}";
    }

    // Drops the oldest lines if the report would be too large. Its JSON has only ASCII characters, so its length is its bytes.
    private string ToJson(PostMortemReport report)
    {
        for (var lines = MostLogLines; ; lines /= 2)
        {
            var shorter = report with { Logs = Newest(report.Logs), Tracebacks = Newest(report.Tracebacks) };
            var json = RedactedJson.Redact(JsonSerializer.SerializeToNode(shorter, JsonReports.Default.PostMortemReport)!, redaction).ToJsonString(JsonReports.Default.Options) + "\n";
            if (json.Length <= MostReportBytes || lines == 0)
            {
                return json;
            }

            PostMortemLines[] Newest(IReadOnlyList<PostMortemLines> all) => [.. all.Select(one => Lines(one.From, one.Lines.TakeLast(lines)))];
        }
    }

    private static string? ReadViewer()
    {
        using var built = typeof(PostMortemWriter).Assembly.GetManifestResourceStream("viewer.html");
        using var reader = built is null ? null : new StreamReader(built);
        return reader?.ReadToEnd();
    }

    // Base64 needs four bytes for three.
    private (RecordingTail? Tail, string? Missing) Cut(uint lastLoop, int roomBytes, CancellationToken ct)
    {
        if (recording is null)
        {
            return (null, "the match was not recorded (--no-recording)");
        }

        var path = File.Exists(recording) ? recording : PartialFile.PathFor(recording);
        if (!File.Exists(path))
        {
            return (null, "the match has no recording, because it had no step");
        }

        try
        {
            var tail = RecordingTail.Cut(
                path, Loops, lastLoop, (roomBytes - ReportRoomBytes) / 4 * 3, redaction.RedactRecorded, bytes => redaction.HasSecret(bytes.Span), ct);
            return (tail, tail is null ? "the recording has no step that fits into a page" : null);
        }
        catch (OperationCanceledException) when (ct.IsCancellationRequested)
        {
            return (null, "there was too little time to cut the recording: open the recording itself in sc2bridge-viewer.html");
        }
#pragma warning disable CA1031 // A recording that cannot be cut must not prevent the report.
        catch (Exception failure)
#pragma warning restore CA1031
        {
            return (null, failure.Message);
        }
    }

    private static PostMortemMatch DescribeMatch(EndFacts facts)
    {
        var match = facts.Description ?? new MatchDescription();
        var results = facts.End?.Results.ToDictionary(result => result.PlayerId, result => result.Result.ToString()) ?? [];
        return new(
            match.MatchId, match.MapName, match.Simulated, match.Ping?.GameVersion ?? "", match.Seed,
            facts.Rate?.ToString() ?? (match.Realtime ? "realtime" : match.Rate == 0 ? "max" : match.Rate.ToString(CultureInfo.InvariantCulture)), match.StepSize,
            [
                .. match.Players.Select(player => new PostMortemPlayer(
                    player.PlayerId, player.Name, player.Race.Words(), player.Kind.ToString(), results.GetValueOrDefault(player.PlayerId, ""))),
            ],
            facts.End?.Words() ?? facts.Error?.Message ?? "", facts.End?.Aborted ?? true);
    }

    private static IEnumerable<PostMortemLines> Tracebacks(EndFacts facts)
    {
        foreach (var agent in facts.Agents.Where(agent => agent.Traceback.Count > 0))
        {
            yield return Lines($"agent {agent.Name}", agent.Traceback);
        }

        var bridge = facts.BridgeCrash ?? (facts.Error is null or GameException or CommandException ? [] : $"{facts.Error}".Split('\n'));
        if (bridge.Count > 0)
        {
            yield return Lines("bridge", bridge);
        }
    }

    private static PostMortemLines Lines(string from, IEnumerable<string> lines) => new(from, [.. lines.TakeLast(MostLogLines)]);

    private string[] ReadLog()
    {
        try
        {
            using var file = new FileStream(log, FileMode.Open, FileAccess.Read, FileShare.ReadWrite | FileShare.Delete);
            file.Position = Math.Max(0, file.Length - LogTailBytes);
            var lines = new StreamReader(file, Encoding.UTF8).ReadToEnd().Split('\n', StringSplitOptions.RemoveEmptyEntries);
            return file.Length > LogTailBytes ? lines[1..] : lines;
        }
        catch (Exception missing) when (missing is IOException or UnauthorizedAccessException)
        {
            return [];
        }
    }

    private static string ReadCpu()
    {
        const string name = "model name";
        try
        {
            return File.ReadLines("/proc/cpuinfo").FirstOrDefault(line => line.StartsWith(name, StringComparison.Ordinal))?.Split(':', 2)[^1].Trim() ?? "";
        }
        catch (Exception missing) when (missing is IOException or UnauthorizedAccessException)
        {
            return "";
        }
    }
}
