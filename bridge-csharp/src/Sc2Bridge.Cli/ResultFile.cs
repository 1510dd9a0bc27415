namespace Sc2Bridge.Cli;

/// <summary>
/// A file for results: opened before anything is measured, so that one that cannot be written costs no time. What was
/// not written leaves nothing behind.
/// </summary>
internal sealed class ResultFile : IDisposable
{
    private readonly bool _made;
    private bool _written;

    private ResultFile(string path)
    {
        Path = path;
        _made = !File.Exists(path);
        using var file = new FileStream(path, FileMode.OpenOrCreate, FileAccess.Write);
    }

    /// <summary>Where it is.</summary>
    internal string Path { get; }

    /// <exception cref="CommandException">It cannot be written.</exception>
    internal static ResultFile? Open(string? path)
    {
        try
        {
            return path is null ? null : new ResultFile(path);
        }
        catch (Exception error) when (error is IOException or UnauthorizedAccessException or ArgumentException)
        {
            throw new CommandException($"{path} cannot be written: {error.Message}", error);
        }
    }

    /// <summary>
    /// Whether a place may be taken away again: a file that is there and empty may be a device.
    /// </summary>
    internal static bool IsOurs(string path) => new FileInfo(path) is { Exists: false } or { Length: > 0 };

    /// <summary>
    /// Writes a file anew; of one that finds no room nothing stays, as half of it is of use to nobody.
    /// </summary>
    /// <exception cref="IOException">It cannot be written.</exception>
    internal static void WriteWhole(string path, string text)
    {
        var ours = IsOurs(path);
        try
        {
            File.WriteAllText(path, text);
        }
        catch (IOException) when (ours)
        {
            File.Delete(path);
            throw;
        }
    }

    /// <summary>Writes the whole file.</summary>
    /// <exception cref="IOException">It cannot be written.</exception>
    internal void Write(string text)
    {
        WriteWhole(Path, text);
        _written = true;
    }

    /// <summary>Somebody else has written it.</summary>
    internal void Keep() => _written = true;

    /// <inheritdoc/>
    public void Dispose()
    {
        if (_made && !_written)
        {
            File.Delete(Path);
        }
    }
}
