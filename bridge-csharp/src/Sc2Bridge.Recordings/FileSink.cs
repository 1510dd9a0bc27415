using Sc2Bridge.Recordings.Mcap;

namespace Sc2Bridge.Recordings;

/// <summary>A new file that is written, where none was: gone where it is not kept.</summary>
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
            _file.Flush(flushToDisk: true);
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
