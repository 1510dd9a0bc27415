namespace Sc2Bridge.Files;

/// <summary>
/// Makes output files in folders where others may have put links. Nothing is written through a link, except to devices.
/// </summary>
public static class OutputPath
{
    /// <summary>Why a path may not be written to; null if it is no link, or leads to a device.</summary>
    public static string? LinkProblem(string path) => new FileInfo(path).LinkTarget is null || LeadsToDevice(path)
        ? null
        : $"{path} is a link, and nothing is written through links: name the file itself";

    /// <summary>
    /// Whether a path is a device, a pipe, or a link to a device, and so cannot be replaced. An existing empty file counts
    /// too: .NET does not say what it is.
    /// </summary>
    public static bool IsDevice(string path)
    {
        var file = new FileInfo(path);
        return file.LinkTarget is null ? file is { Exists: true, Length: 0 } : LeadsToDevice(path);
    }

    /// <summary>Replaces a file by a new one. A device or pipe is opened.</summary>
    /// <exception cref="IOException">It cannot be written, or is a link.</exception>
    /// <exception cref="UnauthorizedAccessException">It cannot be written.</exception>
    public static FileStream Replace(
        string path, FileAccess access = FileAccess.Write, FileShare share = FileShare.Read, FileOptions options = FileOptions.None)
    {
        if (LinkProblem(path) is { } problem)
        {
            throw new IOException(problem);
        }

        if (IsDevice(path))
        {
            var device = new FileStream(path, FileMode.Open, FileAccess.Write, share, bufferSize: 0);
            if (!device.CanSeek || IsSystemDevice(Path.GetFullPath(path)) || LeadsToDevice(path))
            {
                return device;
            }

            // An empty file after all.
            device.Dispose();
        }

        // Created and not opened: a link that is put there meanwhile is not followed.
        File.Delete(path);
        return new FileStream(path, FileMode.CreateNew, access, share, bufferSize: 0, options);
    }

    // Links such as /dev/stdout are the system's.
    private static bool LeadsToDevice(string link) => IsSystemDevice(Path.GetFullPath(link))
        || new FileInfo(link).ResolveLinkTarget(returnFinalTarget: true)?.FullName is "/dev/null" or "/dev/full";

    // Everyone can put files and links into /dev/shm.
    private static bool IsSystemDevice(string path) =>
        path.StartsWith("/dev/", StringComparison.Ordinal) && !path.StartsWith("/dev/shm/", StringComparison.Ordinal);
}
