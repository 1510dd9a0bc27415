namespace Sc2Bridge.Cli;

/// <summary>A log in the output folder.</summary>
internal sealed class LogFile : StreamWriter
{
    private readonly string? _finalPath;
    private bool _failed;
    private bool _disposed;

    private LogFile(string path, string? finalPath)
        : base(OutputPath.Replace(path)) => _finalPath = finalPath;

    /// <summary>Makes the folder where it is missing, and the file anew.</summary>
    /// <param name="folder">Where.</param>
    /// <param name="name">Its name.</param>
    /// <param name="isPartial">Whether it gets that only with <see cref="Publish"/>.</param>
    /// <exception cref="CommandException">It cannot be written to.</exception>
    internal static LogFile Open(string folder, string name, bool isPartial = false)
    {
        try
        {
            Directory.CreateDirectory(folder);
            var path = Path.Combine(folder, name);
            return isPartial ? new LogFile(PartialFile.Of(path), path) : new LogFile(path, null);
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

    /// <summary>Closes it, and gives it its name where all of it was written.</summary>
    /// <returns>Why it cannot have it, where nobody was told that yet; null else.</returns>
    internal string? Publish()
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
                PartialFile.Publish(_finalPath!);
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
            // Each row is flushed as it is written: what found no room has been told then.
            _failed = true;
        }
    }
}
