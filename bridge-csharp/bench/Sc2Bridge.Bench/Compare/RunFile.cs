using System.Text.Json;

namespace Sc2Bridge.Bench;

/// <summary>What a file of runs says first: runs of another comparison are not to be mixed into it.</summary>
/// <param name="Machine">On what it was begun.</param>
/// <param name="Match">Which steps of which match.</param>
/// <param name="Rounds">How often each measurement is measured.</param>
/// <param name="Seconds">How long.</param>
/// <param name="WarmUpSeconds">What is not counted.</param>
/// <param name="Measurements">All of them, by their ids, and all searches.</param>
internal sealed record RunHeader(
    Machine Machine, string Match, int Rounds, double Seconds, double WarmUpSeconds, IReadOnlyList<string> Measurements)
{
    public static RunHeader Of(Machine machine, string match, ComparisonPlan plan) => new(
        machine,
        match,
        plan.Rounds,
        plan.Seconds,
        plan.WarmUpSeconds,
        [.. plan.Measurements.Select(measurement => measurement.Id), .. plan.Searches.Select(search => search.Name)]);

    /// <summary>In what another one differs; null where both are of one comparison.</summary>
    internal string? Difference(RunHeader other) =>
        (Machine with { LoadAtStart = 0 }) != (other.Machine with { LoadAtStart = 0 }) ? "on another machine or runtime"
        : Match != other.Match ? $"over another match ({Match})"
        : (Rounds, Seconds, WarmUpSeconds) != (other.Rounds, other.Seconds, other.WarmUpSeconds)
            ? "with other rounds or seconds"
        : !Measurements.SequenceEqual(other.Measurements) ? "with other measurements"
        : null;
}

/// <summary>
/// The runs of a comparison, a line each, written as they are made: one that was stopped is gone on with, and a line
/// that was cut off is measured again.
/// </summary>
internal sealed class RunFile : IDisposable
{
    private readonly List<MeasurementRun> _runs = [];
    private readonly FileStream _file;

    private RunFile(FileStream file)
    {
        _file = file;
    }

    /// <summary>Those that there are, in the order in which they were made.</summary>
    public IReadOnlyList<MeasurementRun> Runs => _runs;

    /// <summary>Opens it, or begins it where it is not there.</summary>
    public static RunFile Open(string path, RunHeader header)
    {
        var file = new RunFile(new FileStream(path, FileMode.OpenOrCreate, FileAccess.ReadWrite, FileShare.Read));
        try
        {
            file.Load(path, header);
            return file;
        }
        catch
        {
            file.Dispose();
            throw;
        }
    }

    /// <summary>Keeps a run; where the same one failed before, in place of that.</summary>
    public void Add(MeasurementRun run)
    {
        Write(run);
        Take(run);
    }

    public void Dispose() => _file.Dispose();

    private void Load(string path, RunHeader header)
    {
        // Up to the last line end: what stands behind it was cut off.
        var bytes = new byte[_file.Length];
        _file.ReadExactly(bytes);
        var whole = Array.LastIndexOf(bytes, (byte)'\n') + 1;
        var lines = System.Text.Encoding.UTF8.GetString(bytes, 0, whole)
            .Split('\n', StringSplitOptions.RemoveEmptyEntries);
        _file.SetLength(whole);
        if (lines.Length == 0)
        {
            Write(header);
            return;
        }

        try
        {
            if (LineJson.Read<RunHeader>(lines[0]).Difference(header) is { } difference)
            {
                throw new CommandException(
                    $"{path} was measured {difference}: name another folder with --out, or remove the file");
            }

            foreach (var line in lines.Skip(1))
            {
                Take(LineJson.Read<MeasurementRun>(line));
            }
        }
        catch (JsonException)
        {
            throw new CommandException(
                $"{path} holds something else than runs of a comparison: name another folder with --out, or remove "
                + "the file");
        }
    }

    private void Take(MeasurementRun run)
    {
        _runs.RemoveAll(old => old.Problem is not null && (old.Measurement, old.Round) == (run.Measurement, run.Round));
        _runs.Add(run);
    }

    private void Write<T>(T value)
    {
        _file.Write(System.Text.Encoding.UTF8.GetBytes(LineJson.Write(value) + "\n"));
        _file.Flush();
    }
}
