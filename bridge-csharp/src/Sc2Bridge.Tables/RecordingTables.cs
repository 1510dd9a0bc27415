using System.Runtime.ExceptionServices;
using Sc2Bridge.Recordings;

namespace Sc2Bridge.Tables;

/// <summary>What was written of a recording.</summary>
/// <param name="Observations">How many it has.</param>
/// <param name="FirstLoop">The first game loop.</param>
/// <param name="LastLoop">The last one.</param>
/// <param name="Rows">Of each table.</param>
/// <param name="Problem">Why there are no more, in one line, if the recording is not whole.</param>
public sealed record WrittenTables(
    long Observations, uint FirstLoop, uint LastLoop, IReadOnlyDictionary<string, long> Rows, string? Problem);

/// <summary>Writes recordings as tables.</summary>
public static class RecordingTables
{
    // The rows that wait, of all tables together: some 60,000 units, 15 s of a match's late observations.
    private const long MostWaiting = 12 << 20;

    // Smaller tables wait for more rows, so that row groups and batches are not short.
    private const long LeastWritten = 1 << 20;

    /// <summary>
    /// Writes all observations of a recording into tables, in the order of their arrival, and the game's constants. Of a damaged
    /// recording, it writes those before the damage.
    /// </summary>
    /// <param name="recording">It.</param>
    /// <param name="folders">Which forms, and the folder, which is there, for each.</param>
    /// <param name="observed">Called after each observation.</param>
    /// <param name="ct">Stops it; what is in the folders is not whole then.</param>
    /// <exception cref="RecordingException">No observation of the recording can be read.</exception>
    /// <exception cref="IOException">A file cannot be written.</exception>
    public static async Task<WrittenTables> WriteAsync(
        RecordingReader recording, IReadOnlyList<(TableForm Form, string Folder)> folders, Action observed, CancellationToken ct)
    {
        ArgumentNullException.ThrowIfNull(recording);
        ArgumentNullException.ThrowIfNull(observed);
        var tables = new ObservationTables();
        IReadOnlyList<Table> all = [.. tables.All, .. ConstantTables.Of(recording.ReadData())];
        var files = new List<(Table Table, TableFile File)>();
        var (count, first, last) = (0L, uint.MaxValue, 0u);
        var problem = recording.Problem;
        try
        {
            foreach (var table in all)
            {
                foreach (var (form, folder) in folders)
                {
                    files.Add((table, await TableFile.MakeAsync(form, folder, table)));
                }
            }

            using var reader = recording.Observations();
            while (Next(reader, ref problem, out var observation))
            {
                ct.ThrowIfCancellationRequested();
                var loop = tables.Add(observation);
                (count, first, last) = (count + 1, Math.Min(first, loop), Math.Max(last, loop));
                if (all.Sum(table => table.Bytes) >= MostWaiting)
                {
                    await WriteAsync(all, files, LeastWritten, ct);
                }

                observed();
            }

            if (count == 0 && problem is not null)
            {
                throw new RecordingException(problem);
            }

            await WriteAsync(all, files, 1, ct);
        }
        finally
        {
            await DisposeAsync(files.Select(file => file.File));
        }

        return new(count, count == 0 ? 0 : first, last, all.ToDictionary(table => table.Name, table => table.Total), problem);
    }

    private static bool Next(ObservationReader reader, ref string? problem, out RecordedObservation observation)
    {
        try
        {
            return reader.Next(out observation);
        }
        catch (RecordingException damage)
        {
            problem = damage.Message;
            observation = default;
            return false;
        }
    }

    /// <summary>Disposes of all files, also if one fails: a full disk fails every one.</summary>
    /// <exception cref="IOException">The first failure.</exception>
    internal static async Task DisposeAsync(IEnumerable<TableFile> files)
    {
        Exception? failure = null;
        foreach (var file in files)
        {
            try
            {
                await file.DisposeAsync();
            }
            catch (Exception error)
            {
                failure ??= error;
            }
        }

        if (failure is not null)
        {
            ExceptionDispatchInfo.Throw(failure);
        }
    }

    private static async Task WriteAsync(
        IReadOnlyList<Table> tables, List<(Table Table, TableFile File)> files, long least, CancellationToken ct)
    {
        foreach (var table in tables)
        {
            if (table.Bytes < least)
            {
                continue;
            }

            foreach (var (_, file) in files.Where(file => file.Table == table))
            {
                await file.WriteAsync(table, ct);
            }

            table.Clear();
        }
    }
}
