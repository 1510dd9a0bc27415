using Sc2Bridge.Recordings.Mcap;

namespace Sc2Bridge.Recordings;

/// <summary>
/// Copies the undamaged parts of a recording into a new file that every MCAP reader can open. It needs memory for one
/// chunk only, and does not compress chunks again.
/// </summary>
public static class RecordingRepair
{
    /// <summary>Repairs a file.</summary>
    /// <param name="path">The damaged file. It is not changed.</param>
    /// <param name="target">The path of the new file. The file must not exist.</param>
    /// <param name="ct">Cancels the repair before the next chunk. The new file is then deleted.</param>
    /// <param name="begun">Called when both files are open.</param>
    /// <exception cref="RecordingException">
    /// Nothing of the file can be read, or the new file cannot be written. No new file remains.
    /// </exception>
    public static RepairReport Repair(string path, string target, CancellationToken ct, Action? begun = null)
    {
        ArgumentNullException.ThrowIfNull(path);
        ArgumentNullException.ThrowIfNull(target);
        using var bytes = new RecordingFile(path);
        var errors = new RecordingErrors(bytes.Name);
        return errors.Wrap(() =>
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
