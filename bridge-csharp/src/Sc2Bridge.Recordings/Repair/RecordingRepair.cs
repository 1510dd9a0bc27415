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
    /// <exception cref="RecordingException">
    /// Nothing of the file can be read, or the clean one cannot be written; it is not left behind then.
    /// </exception>
    public static RepairReport Repair(string path, string target, CancellationToken ct)
    {
        ArgumentNullException.ThrowIfNull(path);
        ArgumentNullException.ThrowIfNull(target);
        var errors = new RecordingErrors(path);
        using var bytes = new RecordingFile(path);
        return errors.Told(() =>
        {
            using var file = new McapFile(bytes);
            using var sink = new FileSink(target);
            using (var mcap = new McapWriter(sink, new Header(RecordingFormat.Profile, RecordingFormat.Library)))
            {
                var report = new RepairCopy(file, mcap).Run(ct);
                sink.Keep();
                return report;
            }
        });
    }

    /// <summary>The file that is written: gone where it is not kept.</summary>
    private sealed class FileSink : IByteSink, IDisposable
    {
        private readonly string _path;
        private readonly FileStream _file;
        private bool _isKept;

        public FileSink(string path)
        {
            _path = path;
            try
            {
                _file = new FileStream(path, FileMode.CreateNew, FileAccess.Write);
            }
            catch (Exception error) when (error is IOException or UnauthorizedAccessException or ArgumentException)
            {
                throw new RecordingException(
                    File.Exists(path) ? $"{path} is there already: name another file" : Line(error), error);
            }
        }

        public void Append(ReadOnlySpan<byte> bytes)
        {
            try
            {
                _file.Write(bytes);
            }
            catch (IOException error)
            {
                throw new RecordingException(Line(error), error);
            }
        }

        public void Keep()
        {
            try
            {
                _file.Flush();
                _isKept = true;
            }
            catch (IOException error)
            {
                throw new RecordingException(Line(error), error);
            }
        }

        public void Dispose()
        {
            try
            {
                _file.Dispose();
            }
            catch (IOException) when (!_isKept)
            {
                // What is left in its buffer does not go to a full disk either.
            }

            if (!_isKept)
            {
                File.Delete(_path);
            }
        }

        private string Line(Exception error) => $"{_path} cannot be written: {error.Message}";
    }
}
