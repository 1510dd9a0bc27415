namespace Sc2Bridge.Cli;

/// <summary>A log or a certificate in the output folder.</summary>
internal sealed class LogFile : StreamWriter
{
    private readonly string? _finalPath;
    private bool _failed;
    private bool _disposed;

    private LogFile(string path, string? finalPath)
        : base(OutputPath.OpenReplacement(path)) => _finalPath = finalPath;

    /// <summary>Creates the folder if it is missing, and creates or replaces the file.</summary>
    /// <param name="folder">The folder.</param>
    /// <param name="name">The file's name.</param>
    /// <param name="isPartial">Whether the file has the name of a partial file until <see cref="Commit"/>.</param>
    /// <exception cref="CommandException">The file cannot be written.</exception>
    internal static LogFile Open(string folder, string name, bool isPartial = false)
    {
        try
        {
            Directory.CreateDirectory(folder);
            var path = Path.Combine(folder, name);
            return isPartial ? new LogFile(PartialFile.PathFor(path), path) : new LogFile(path, null);
        }
        catch (Exception error) when (error is IOException or UnauthorizedAccessException)
        {
            throw OutputFolder.NotWritable(folder, error);
        }
    }

    /// <inheritdoc/>
    public override void Flush()
    {
        try
        {
            base.Flush();
        }
        catch
        {
            _failed = true;
            throw;
        }
    }

    /// <summary>Closes the file. If the file is complete, it gets its final name.</summary>
    /// <returns>Why the file could not be renamed; null if it was renamed, or if an earlier error was reported.</returns>
    internal string? Commit()
    {
        if (_disposed)
        {
            return null;
        }

        Dispose();
        try
        {
            if (!_failed)
            {
                PartialFile.Commit(_finalPath!);
            }

            return null;
        }
        catch (Exception error) when (error is IOException or UnauthorizedAccessException)
        {
            return $"{_finalPath} could not be written ({error.Message}): was its folder moved or deleted?";
        }
    }

    /// <inheritdoc/>
    protected override void Dispose(bool disposing)
    {
        _disposed = true;
        try
        {
            base.Dispose(disposing);
        }
        catch (IOException)
        {
            // Each row is flushed when it is written, so an earlier flush has reported the full disk.
            _failed = true;
        }
    }
}
