using Sc2Bridge.Recordings.Mcap;

namespace Sc2Bridge.Recordings;

/// <summary>Creates a file. Deletes it on dispose unless Keep() was called.</summary>
internal sealed class FileSink : IByteSink, IDisposable
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
                File.Exists(path) ? $"{path} already exists: name another file" : FailureLine(error), error);
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
            throw new RecordingException(FailureLine(error), error);
        }
    }

    public void Keep()
    {
        try
        {
            _file.Flush(flushToDisk: true);
            _isKept = true;
        }
        catch (IOException error)
        {
            throw new RecordingException(FailureLine(error), error);
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
            // The rest of the buffer cannot be written, which does not matter: the file is deleted.
        }

        if (!_isKept)
        {
            File.Delete(_path);
        }
    }

    private string FailureLine(Exception error) => $"{_path} cannot be written: {error.Message}";
}
