using System.Runtime.InteropServices;
using Microsoft.Win32.SafeHandles;

namespace Sc2Bridge.Files;

/// <summary>
/// Creates output files in folders where other users may have put links. Nothing is written through a link, except to devices.
/// </summary>
public static partial class OutputPath
{
    /// <summary>Why nothing may be written to a path: it is a link. Null if the path is not a link, or if the link leads to a device.</summary>
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

    /// <summary>Whether a path is a file of this user and not a link. Links of other users could lead anywhere.</summary>
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
                // Only the owner of a file may set its mode.
                File.SetUnixFileMode(path, File.GetUnixFileMode(path));
            }

            return true;
        }
        catch (Exception error) when (error is IOException or UnauthorizedAccessException)
        {
            return false;
        }
    }

    /// <summary>Replaces a file by a new, empty file, and opens the new file. A device or a pipe is only opened.</summary>
    /// <exception cref="IOException">The file cannot be written, or is a link.</exception>
    /// <exception cref="UnauthorizedAccessException">The file cannot be written.</exception>
    public static FileStream OpenReplacement(
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

        // CreateNew does not follow a link that another user creates at this moment.
        File.Delete(path);
        return new FileStream(path, FileMode.CreateNew, access, share, bufferSize: 0, options);
    }

    // The system made links such as /dev/stdout, so they are trusted.
    private static bool LeadsToDevice(string link) => IsSystemDevice(Path.GetFullPath(link))
        || new FileInfo(link).ResolveLinkTarget(returnFinalTarget: true)?.FullName is "/dev/null" or "/dev/full";

    // Every user can put files and links into /dev/shm.
    private static bool IsSystemDevice(string path) =>
        path.StartsWith("/dev/", StringComparison.Ordinal) && !path.StartsWith("/dev/shm/", StringComparison.Ordinal);

    // A pipe has no position, so seeking fails. Opening it does not wait for the other end of the pipe.
    private static bool IsPipe(string path)
    {
        const int seekFromCurrent = 1;
        var nonBlocking = OperatingSystem.IsMacOS() ? 4 : 0x800;
        using var file = Open(path, nonBlocking);
        return file.IsInvalid || Seek(file, 0, seekFromCurrent) < 0;
    }

    [LibraryImport("libc", EntryPoint = "open", StringMarshalling = StringMarshalling.Utf8)]
    private static partial SafeFileHandle Open(string path, int flags);

    [LibraryImport("libc", EntryPoint = "lseek")]
    private static partial nint Seek(SafeFileHandle file, nint offset, int whence);
}
