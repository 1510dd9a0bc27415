namespace Sc2Bridge.Cli;

/// <summary>A log in the output folder.</summary>
internal sealed class LogFile : StreamWriter
{
    private LogFile(string path)
        : base(path)
    {
    }

    /// <summary>Makes the folder where it is missing, and the file anew.</summary>
    /// <exception cref="CommandException">It cannot be written to.</exception>
    internal static LogFile Open(string folder, string name)
    {
        try
        {
            Directory.CreateDirectory(folder);
            return new LogFile(Path.Combine(folder, name));
        }
        catch (Exception error) when (error is IOException or UnauthorizedAccessException)
        {
            throw new CommandException(
                $"cannot write to the output folder {folder} ({error.Message}): name another with --out", error);
        }
    }

    /// <inheritdoc/>
    protected override void Dispose(bool disposing)
    {
        try
        {
            base.Dispose(disposing);
        }
        catch (IOException)
        {
            // Each row is flushed as it is written: what found no room has been told then.
        }
    }
}
