using System.Runtime.ExceptionServices;
using Sc2Bridge.Recordings;

namespace Sc2Bridge.Tables;

/// <summary>The result of writing a recording's tables.</summary>
/// <param name="Observations">The number of observations.</param>
/// <param name="FirstLoop">The lowest game loop.</param>
/// <param name="LastLoop">The highest game loop.</param>
/// <param name="Rows">The number of rows of each table.</param>
/// <param name="Problem">The damage that ended the reading, in one line; null if the recording is complete.</param>
public sealed record WrittenTables(
    long Observations, uint FirstLoop, uint LastLoop, IReadOnlyDictionary<string, long> Rows, string? Problem);

/// <summary>Writes recordings as tables.</summary>
public static class RecordingTables
{
    // Limits the memory of unwritten rows in all tables: about 60,000 units, or 15 s of observations late in a match.
    private const long MostUnwrittenBytes = 12 << 20;

    // Smaller tables collect more rows first, so that row groups and batches are not too short.
    private const long LeastWriteBytes = 1 << 20;

    /// <summary>
    /// Writes all observations of a recording into tables, in the order of their arrival, and the game's constants. If the recording
    /// is damaged, it writes the observations before the damage.
    /// </summary>
    /// <param name="recording">The recording.</param>
    /// <param name="folders">The file formats to write, each with an existing folder.</param>
    /// <param name="observed">Called after each observation.</param>
    /// <param name="ct">Stops writing. The files are then incomplete.</param>
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
                    files.Add((table, await TableFile.CreateAsync(form, folder, table)));
                }
            }

            using var reader = recording.Observations();
            while (TryRead(reader, ref problem, out var observation))
            {
                ct.ThrowIfCancellationRequested();
                var loop = tables.Add(observation);
                (count, first, last) = (count + 1, Math.Min(first, loop), Math.Max(last, loop));
                if (all.Sum(table => table.Bytes) >= MostUnwrittenBytes)
                {
                    await WriteAsync(all, files, LeastWriteBytes, ct);
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

        return new(count, count == 0 ? 0 : first, last, all.ToDictionary(table => table.Name, table => table.TotalRows), problem);
    }

    private static bool TryRead(ObservationReader reader, ref string? problem, out RecordedObservation observation)
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

    /// <summary>Disposes all files, even if one fails. On a full disk all of them fail.</summary>
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
        IReadOnlyList<Table> tables, List<(Table Table, TableFile File)> files, long leastBytes, CancellationToken ct)
    {
        foreach (var table in tables)
        {
            if (table.Bytes < leastBytes)
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
