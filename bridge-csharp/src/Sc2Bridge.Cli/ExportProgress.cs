using System.Globalization;
using Sc2Bridge.Tables;

namespace Sc2Bridge.Cli;

/// <summary>The export of one recording, in the JSON report.</summary>
/// <param name="Name">The name of the match, which is part of the folder names.</param>
/// <param name="Recording">The path of the recording.</param>
/// <param name="Folders">The folders with the tables.</param>
internal sealed record ExportResult(string Name, string Recording, IReadOnlyList<string> Folders)
{
    /// <summary>Whether the tables existed already.</summary>
    public bool WasThere { get; init; }

    /// <summary>The written tables; null if the export failed.</summary>
    public WrittenTables? Written { get; init; }

    /// <summary>The duration of the export.</summary>
    public double Seconds { get; init; }

    /// <summary>Why the export failed. In the JSON report, it can also name what the tables lack. Null if nothing is wrong.</summary>
    public string? Problem { get; init; }

    /// <summary>The result as a line.</summary>
    internal string ToLine() => Problem is not null ? $"{Name}: failed"
        : WasThere ? $"{Name}: was there"
        : string.Create(
            CultureInfo.InvariantCulture, $"{Name}: {Written!.Observations:N0} observations, {Written.Rows["units"]:N0} units, in {Seconds:0.0} s");

    /// <summary>What the tables lack, as one line; null if they are complete.</summary>
    internal string? DescribeLoss() => Written?.Problem is { } problem
        ? $"the tables of {Name} end with game loop {Written.LastLoop}, because the recording is not whole: {problem}" : null;
}

/// <summary>The JSON report of <c>sc2bridge export</c>.</summary>
/// <param name="Exported">The number of exported recordings.</param>
/// <param name="WereThere">The number of recordings whose tables existed already.</param>
/// <param name="Failed">The number of failed exports.</param>
/// <param name="NotWhole">The number of exports that end early because the recording is damaged.</param>
/// <param name="Observations">The number of written observations.</param>
/// <param name="Seconds">The duration of the whole export.</param>
/// <param name="Matches">The result of each recording.</param>
internal sealed record ExportReport(
    int Exported, int WereThere, int Failed, int NotWhole, long Observations, double Seconds, IReadOnlyList<ExportResult> Matches);

/// <summary>The progress of an export. Thread-safe.</summary>
/// <param name="count">The number of recordings.</param>
/// <param name="totalBytes">The total size of the recordings.</param>
/// <param name="time">The clock.</param>
internal sealed class ExportProgress(int count, long totalBytes, TimeProvider time)
{
    private readonly Lock _lock = new();
    private readonly List<ExportResult> _results = [];
    private readonly Pace _doneRate = new(time);
    private readonly Pace _observationRate = new(time);
    private double _doneBytes;
    private long _observations;

    /// <summary>Begins to count the exported observations of a recording.</summary>
    /// <param name="size">The size of the recording in bytes.</param>
    /// <param name="observations">The number of its observations.</param>
    /// <returns>An action to call for each exported observation.</returns>
    internal Action BeginRecording(long size, long observations)
    {
        var share = (double)size / Math.Max(1, observations);
        return () =>
        {
            lock (_lock)
            {
                _doneBytes += share;
                _observations++;
            }
        };
    }

    /// <summary>Adds the result of a recording.</summary>
    /// <returns>The number of results so far.</returns>
    internal int AddResult(ExportResult result)
    {
        lock (_lock)
        {
            if (result.WasThere || result.Written is null)
            {
                // A part of a failed recording may be counted already, so the sum is limited.
                _doneBytes = Math.Min(totalBytes, _doneBytes + (new FileInfo(result.Recording) is { Exists: true } file ? file.Length : 0));
            }

            _results.Add(result);
            return _results.Count;
        }
    }

    /// <summary>The rows to show now.</summary>
    internal IReadOnlyList<ProgressRow> Rows(int maxRows)
    {
        lock (_lock)
        {
            var done = _doneBytes / Math.Max(1, totalBytes);
            return
            [
                new(
                    ProgressRow.TimeLeft(1 - done, _doneRate.Measure(done)), $"{_results.Count} of {count} recordings",
                    string.Create(CultureInfo.InvariantCulture, $"{_observationRate.Measure(_observations):N0} observations/s"))
                {
                    Done = done,
                },
            ];
        }
    }

    /// <summary>Makes the report.</summary>
    internal ExportReport Report(TimeSpan duration)
    {
        lock (_lock)
        {
            return new(
                _results.Count(one => one is { WasThere: false, Written: not null }), _results.Count(one => one.WasThere), _results.Count(one => one.Problem is not null),
                _results.Count(one => one.Written?.Problem is not null),
                _observations, Math.Round(duration.TotalSeconds, 3),
                [.. _results.OrderBy(one => one.Name, StringComparer.Ordinal).Select(one => one with { Problem = one.Problem ?? one.DescribeLoss() })]);
        }
    }
}
