using System.Runtime.InteropServices;
using Microsoft.Win32.SafeHandles;

namespace Sc2Bridge.Files;

/// <summary>
/// Makes output files in folders where others may have put links. Nothing is written through a link, except to devices.
/// </summary>
public static partial class OutputPath
{
    /// <summary>Why a path may not be written to; null if it is no link, or leads to a device.</summary>
    public static string? LinkProblem(string path) => new FileInfo(path).LinkTarget is null || LeadsToDevice(path)
        ? null
        : $"{path} is a link, and nothing is written through links: name the file itself";

    /// <summary>Whether a path is a device, a pipe, or a link to a device, and so cannot be replaced.</summary>
    public static bool IsDevice(string path)
    {
        var file = new FileInfo(path);
        return file.LinkTarget is not null ? LeadsToDevice(path)
            : file is { Exists: true, Length: 0 }
                && (OperatingSystem.IsWindows()
                    ? file.FullName.StartsWith(@"\\.\", StringComparison.Ordinal)
                    : IsSystemDevice(file.FullName) || IsPipe(path));
    }

    /// <summary>Whether a path is a file of this user's, and no link: what others put there leads to nothing of ours.</summary>
    public static bool IsOwnFile(string path)
    {
        try
        {
            if (new FileInfo(path) is not { Exists: true, LinkTarget: null })
            {
                return false;
            }

            if (!OperatingSystem.IsWindows())
            {
                // Allowed to a file's owner only.
                File.SetUnixFileMode(path, File.GetUnixFileMode(path));
            }

            return true;
        }
        catch (Exception error) when (error is IOException or UnauthorizedAccessException)
        {
            return false;
        }
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
            return new FileStream(path, FileMode.Open, FileAccess.Write, share, bufferSize: 0);
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

    // A pipe has no position. It is opened without waiting for its other end.
    private static bool IsPipe(string path)
    {
        const int fromHere = 1;
        var withoutWaiting = OperatingSystem.IsMacOS() ? 4 : 0x800;
        using var file = Open(path, withoutWaiting);
        return file.IsInvalid || Seek(file, 0, fromHere) < 0;
    }

    [LibraryImport("libc", EntryPoint = "open", StringMarshalling = StringMarshalling.Utf8)]
    private static partial SafeFileHandle Open(string path, int flags);

    [LibraryImport("libc", EntryPoint = "lseek")]
    private static partial nint Seek(SafeFileHandle file, nint offset, int whence);
}
