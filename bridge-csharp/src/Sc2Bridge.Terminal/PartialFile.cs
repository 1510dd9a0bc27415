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
    public static bool IsFor(string path) =>
        new FileInfo(path).LinkTarget is null ? ResultFile.IsOurs(path) : !LeadsToDevice(path);

    /// <summary>
    /// Makes a file anew, in a folder where others may have put something: what is there goes, and what a link leads to
    /// is not written, but a device.
    /// </summary>
    /// <exception cref="IOException">It cannot be written, or is a link.</exception>
    /// <exception cref="UnauthorizedAccessException">It cannot be written.</exception>
    public static FileStream Make(string path)
    {
        if (new FileInfo(path).LinkTarget is null)
        {
            File.Delete(path);
            return new FileStream(path, FileMode.CreateNew, FileAccess.Write);
        }

        return LeadsToDevice(path)
            ? new FileStream(path, FileMode.Open, FileAccess.Write)
            : throw new IOException($"{Path.GetFileName(path)} is a link there, which is not written through");
    }

    /// <summary>Whether a link leads to a device that keeps nothing: <c>/dev/null</c> or <c>/dev/full</c>.</summary>
    public static bool LeadsToDevice(string link) =>
        new FileInfo(link).ResolveLinkTarget(returnFinalTarget: true)?.FullName is "/dev/null" or "/dev/full";

    /// <summary>Gives a file that is whole, and closed, its name.</summary>
    /// <exception cref="IOException">It cannot; it is gone, say.</exception>
    /// <exception cref="UnauthorizedAccessException">It cannot.</exception>
    public static void Publish(string path) => File.Move(Of(path), path, overwrite: true);

    /// <summary>Whether a file is not whole, and somebody has it open: writes it, as a rule.</summary>
    public static bool IsHeld(string path)
    {
        if (!path.EndsWith(Suffix, StringComparison.Ordinal))
        {
            return false;
        }

        try
        {
            using var file = new FileStream(path, FileMode.Open, FileAccess.Read, Alone);
            return false;
        }
        catch (Exception error) when (error is IOException or UnauthorizedAccessException)
        {
            return error is IOException && File.Exists(path);
        }
    }

    /// <summary>Holds a file that may have been left behind, against all who ask the same.</summary>
    /// <returns>Null where somebody has it open, or it is gone: it is no concern of others.</returns>
    public static FileStream? TryHold(string path)
    {
        try
        {
            // A lock of the system's, which a killed process does not keep. It was opened first: by now the name may be
            // gone, or another file's.
            var held = new FileStream(path, FileMode.Open, FileAccess.ReadWrite, Alone, bufferSize: 0);
            if (File.Exists(path) && File.GetCreationTimeUtc(held.SafeFileHandle) == File.GetCreationTimeUtc(path))
            {
                return held;
            }

            held.Dispose();
            return null;
        }
        catch (Exception error) when (error is IOException or UnauthorizedAccessException)
        {
            return null;
        }
    }
}
