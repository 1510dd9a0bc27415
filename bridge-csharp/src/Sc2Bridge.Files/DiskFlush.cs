using System.Runtime.InteropServices;
using Microsoft.Win32.SafeHandles;

namespace Sc2Bridge.Files;

/// <summary>Writes files and names to the disk itself, so that a power cut does not lose them.</summary>
internal static partial class DiskFlush
{
    /// <summary>For tests: gets each path that was flushed.</summary>
    internal static event Action<string>? Flushed;

    /// <summary>Flushes the contents of a file.</summary>
    internal static void Contents(string file)
    {
        using var handle = File.OpenHandle(file, FileMode.Open, FileAccess.ReadWrite, FileShare.ReadWrite | FileShare.Delete);
        RandomAccess.FlushToDisk(handle);
        Flushed?.Invoke(file);
    }

    /// <summary>Flushes the names in a folder. Windows has no such call: its file system logs the names itself.</summary>
    internal static void Names(string folder)
    {
        if (OperatingSystem.IsWindows())
        {
            return;
        }

        const int readOnly = 0;
        using var handle = Open(folder, readOnly);

        // A folder may be writable and not readable, and some network file systems cannot flush a folder: neither is an error.
        if (!handle.IsInvalid)
        {
            RandomAccess.FlushToDisk(handle);
            Flushed?.Invoke(folder);
        }
    }

    /// <summary>Flushes everything in a folder.</summary>
    internal static void Tree(string folder)
    {
        foreach (var file in Directory.EnumerateFiles(folder, "*", SearchOption.AllDirectories))
        {
            Contents(file);
        }

        foreach (var below in Directory.EnumerateDirectories(folder, "*", SearchOption.AllDirectories).Append(folder))
        {
            Names(below);
        }
    }

    [LibraryImport("libc", EntryPoint = "open", StringMarshalling = StringMarshalling.Utf8)]
    private static partial SafeFileHandle Open(string path, int flags);
}
