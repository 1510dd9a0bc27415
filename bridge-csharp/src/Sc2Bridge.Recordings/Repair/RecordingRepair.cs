using Sc2Bridge.Recordings.Mcap;

namespace Sc2Bridge.Recordings;

/// <summary>
/// Writes what is whole of a damaged recording as a clean file, which every reader of MCAP opens. Memory is bounded by
/// a chunk; chunks are copied as they are.
/// </summary>
public static class RecordingRepair
{
    /// <summary>Repairs a file.</summary>
    /// <param name="path">The damaged one; only read.</param>
    /// <param name="target">The clean one; must not be there yet.</param>
    /// <param name="ct">Stops it, before the next chunk; the clean file is not left behind then.</param>
    /// <param name="begun">Called when both files are open.</param>
    /// <exception cref="RecordingException">
    /// Nothing of the file can be read, or the clean one cannot be written; it is not left behind then.
    /// </exception>
    public static RepairReport Repair(string path, string target, CancellationToken ct, Action? begun = null)
    {
        ArgumentNullException.ThrowIfNull(path);
        ArgumentNullException.ThrowIfNull(target);
        using var bytes = new RecordingFile(path);
        var errors = new RecordingErrors(bytes.Name);
        return errors.Told(() =>
        {
            using var file = new McapFile(bytes);
            using var sink = new FileSink(target);
            begun?.Invoke();
            using (var mcap = new McapWriter(sink, new Header(RecordingFormat.Profile, RecordingFormat.Library)))
            {
                var report = new RepairCopy(file, mcap).Run(ct);
                sink.Keep();
                return report;
            }
        });
    }
}
