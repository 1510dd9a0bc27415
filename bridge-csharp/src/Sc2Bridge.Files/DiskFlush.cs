using System.Runtime.InteropServices;
using Microsoft.Win32.SafeHandles;

namespace Sc2Bridge.Files;

/// <summary>Flushes files and folder entries to the disk, so that a power failure does not lose them.</summary>
internal static partial class DiskFlush
{
    /// <summary>For tests: raised for each flushed path.</summary>
    internal static event Action<string>? Flushed;

    /// <summary>Flushes the contents of a file.</summary>
    internal static void FlushContents(string file)
    {
        using var handle = File.OpenHandle(file, FileMode.Open, FileAccess.ReadWrite, FileShare.ReadWrite | FileShare.Delete);
        RandomAccess.FlushToDisk(handle);
        Flushed?.Invoke(file);
    }

    /// <summary>Flushes a folder's list of file names. Windows has no such call, because its file system journals the names.</summary>
    internal static void FlushNames(string folder)
    {
        if (OperatingSystem.IsWindows())
        {
            return;
        }

        const int readOnly = 0;
        using var handle = Open(folder, readOnly);

        // Not an error: a folder may be writable but not readable, and some network file systems cannot flush a folder.
        if (!handle.IsInvalid)
        {
            RandomAccess.FlushToDisk(handle);
            Flushed?.Invoke(folder);
        }
    }

    /// <summary>Flushes a folder with all its files and subfolders.</summary>
    internal static void FlushTree(string folder)
    {
        foreach (var file in Directory.EnumerateFiles(folder, "*", SearchOption.AllDirectories))
        {
            FlushContents(file);
        }

        foreach (var below in Directory.EnumerateDirectories(folder, "*", SearchOption.AllDirectories).Append(folder))
        {
            FlushNames(below);
        }
    }

    [LibraryImport("libc", EntryPoint = "open", StringMarshalling = StringMarshalling.Utf8)]
    private static partial SafeFileHandle Open(string path, int flags);
}
