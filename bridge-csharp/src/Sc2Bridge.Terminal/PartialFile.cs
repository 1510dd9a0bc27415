namespace Sc2Bridge.Terminal;

/// <summary>
/// A file that gets its name when it is whole: until then, and for ever where the program was killed, it stands beside
/// it as <c>NAME.partial</c>.
/// </summary>
public static class PartialFile
{
    /// <summary>What stands behind the name of one that is not whole.</summary>
    public const string Suffix = ".partial";

    /// <summary>
    /// As what a file is opened that nobody else may open; Windows deletes none that is open unless that is allowed.
    /// </summary>
    public static FileShare Alone { get; } = OperatingSystem.IsWindows() ? FileShare.Delete : FileShare.None;

    /// <summary>Where a file is written.</summary>
    public static string Of(string path) => path + Suffix;

    /// <summary>Whether a place is for a file: what is there and empty may be a device, and a link may lead to one.</summary>
    public static bool IsFor(string path) => ResultFile.IsOurs(path) && new FileInfo(path).LinkTarget is null;

    /// <summary>Gives a file that is whole, and closed, its name.</summary>
    /// <exception cref="IOException">It cannot; it is gone, say.</exception>
    /// <exception cref="UnauthorizedAccessException">It cannot.</exception>
    public static void Publish(string path) => File.Move(Of(path), path, overwrite: true);

    /// <summary>Holds a file that may have been left behind, against all who ask the same.</summary>
    /// <returns>Null where somebody has it open, or it is gone: it is no concern of others.</returns>
    public static FileStream? TryHold(string path)
    {
        try
        {
            // A lock of the system's, which a killed process does not keep.
            return new FileStream(path, FileMode.Open, FileAccess.ReadWrite, Alone, bufferSize: 0);
        }
        catch (Exception error) when (error is IOException or UnauthorizedAccessException)
        {
            return null;
        }
    }
}
