using System.Globalization;
using Sc2Bridge.Tables;

namespace Sc2Bridge.Cli;

/// <summary>The result of one recording, for machines.</summary>
/// <param name="Name">The match's, in the folders' names.</param>
/// <param name="Recording">The recording's file.</param>
/// <param name="Folders">The folders of its tables.</param>
internal sealed record ExportResult(string Name, string Recording, IReadOnlyList<string> Folders)
{
    /// <summary>Whether its tables were there already.</summary>
    public bool WasThere { get; init; }

    /// <summary>Its tables; null if it failed.</summary>
    public WrittenTables? Written { get; init; }

    /// <summary>How long it took.</summary>
    public double Seconds { get; init; }

    /// <summary>Why it failed; null if it did not.</summary>
    public string? Problem { get; init; }

    /// <summary>The line that says it.</summary>
    internal string Line() => Problem is not null ? $"{Name}: failed"
        : WasThere ? $"{Name}: was there"
        : string.Create(
            CultureInfo.InvariantCulture, $"{Name}: {Written!.Observations:N0} observations, {Written.Rows["units"]:N0} units, in {Seconds:0.0} s");

    /// <summary>What its tables lack; null if nothing.</summary>
    internal string? Loss() => Written?.Problem is { } problem
        ? $"the tables of {Name} end with game loop {Written.LastLoop}, because the recording is not whole: {problem}" : null;
}

/// <summary>What <c>sc2bridge export</c> leaves for machines.</summary>
/// <param name="Exported">How many were written.</param>
/// <param name="WereThere">How many were there already.</param>
/// <param name="Failed">How many failed.</param>
/// <param name="NotWhole">How many tables end where their recordings are damaged.</param>
/// <param name="Observations">How many were written.</param>
/// <param name="Seconds">From the first to the last.</param>
/// <param name="Matches">Each of them.</param>
internal sealed record ExportReport(
    int Exported, int WereThere, int Failed, int NotWhole, long Observations, double Seconds, IReadOnlyList<ExportResult> Matches);

/// <summary>How far the recordings of an export are. Thread-safe.</summary>
/// <param name="count">Recordings in all.</param>
/// <param name="bytes">Their sizes together.</param>
/// <param name="time">The clock.</param>
internal sealed class ExportBoard(int count, long bytes, TimeProvider time)
{
    private readonly Lock _lock = new();
    private readonly List<ExportResult> _results = [];
    private readonly Pace _done = new(time);
    private readonly Pace _observed = new(time);
    private double _bytes;
    private long _observations;

    /// <summary>A recording is read.</summary>
    /// <param name="size">Its bytes.</param>
    /// <param name="observations">How many it has.</param>
    /// <returns>To be called for each of them.</returns>
    internal Action Begin(long size, long observations)
    {
        var share = (double)size / Math.Max(1, observations);
        return () =>
        {
            lock (_lock)
            {
                _bytes += share;
                _observations++;
            }
        };
    }

    /// <summary>A recording is done.</summary>
    /// <returns>How many are done now.</returns>
    internal int End(ExportResult result)
    {
        lock (_lock)
        {
            if (result.WasThere || result.Written is null)
            {
                // Of one that failed, a part may be counted already.
                _bytes = Math.Min(bytes, _bytes + (new FileInfo(result.Recording) is { Exists: true } file ? file.Length : 0));
            }

            _results.Add(result);
            return _results.Count;
        }
    }

    /// <summary>What is shown now.</summary>
    internal IReadOnlyList<ProgressRow> Rows(int most)
    {
        lock (_lock)
        {
            var done = _bytes / Math.Max(1, bytes);
            return
            [
                new(
                    ProgressRow.Left(1 - done, _done.Measure(done)), $"{_results.Count} of {count} recordings",
                    string.Create(CultureInfo.InvariantCulture, $"{_observed.Measure(_observations):N0} observations/s"))
                {
                    Done = done,
                },
            ];
        }
    }

    /// <summary>All of it.</summary>
    internal ExportReport Report(TimeSpan duration)
    {
        lock (_lock)
        {
            return new(
                _results.Count(one => one is { WasThere: false, Written: not null }), _results.Count(one => one.WasThere), _results.Count(one => one.Problem is not null),
                _results.Count(one => one.Written?.Problem is not null),
                _observations, Math.Round(duration.TotalSeconds, 3), [.. _results.OrderBy(one => one.Name, StringComparer.Ordinal)]);
        }
    }
}
