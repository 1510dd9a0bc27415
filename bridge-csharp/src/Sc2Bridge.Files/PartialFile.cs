namespace Sc2Bridge.Files;

/// <summary>
/// A file that has the name <c>NAME.partial</c> until it is complete. A lock file prevents other processes from repairing or
/// replacing the partial file. After a crash, the partial file and a stale lock file remain.
/// </summary>
public sealed class PartialFile : IDisposable
{
    /// <summary>The suffix of an incomplete file's name.</summary>
    public const string Suffix = ".partial";

    private readonly string _path;
    private readonly LockFile _lock;

    private PartialFile(string path, LockFile fileLock, FileStream stream) => (_path, _lock, Stream) = (path, fileLock, stream);

    /// <summary>The open file, unbuffered. The caller closes it.</summary>
    public FileStream Stream { get; }

    /// <summary>The name that a file has until it is complete.</summary>
    public static string PathFor(string path) => path + Suffix;

    /// <summary>Locks a file and begins to write it.</summary>
    /// <param name="path">The final name of the file.</param>
    /// <param name="replaces">Whether to delete a partial file that an ended process left. If false, such a file is an error.</param>
    /// <exception cref="IOException">Another process writes the file, or the file cannot be created.</exception>
    /// <exception cref="UnauthorizedAccessException">The file cannot be created.</exception>
    public static PartialFile Create(string path, bool replaces)
    {
        var fileLock = LockFile.Acquire(path);
        try
        {
            if (replaces)
            {
                File.Delete(PathFor(path));
            }

            return new(
                path, fileLock, new FileStream(PathFor(path), FileMode.CreateNew, FileAccess.Write, FileShare.Read, bufferSize: 0));
        }
        catch
        {
            fileLock.Dispose();
            throw;
        }
    }

    /// <summary>Gives a complete, closed file its final name. The change survives a power failure.</summary>
    /// <exception cref="IOException">The file cannot be renamed, for example because it was moved or deleted.</exception>
    /// <exception cref="UnauthorizedAccessException">The file or folder cannot be renamed.</exception>
    public static void Commit(string path) => Commit(PathFor(path), path);

    /// <summary>Gives a complete, closed file another name. The change survives a power failure.</summary>
    /// <inheritdoc cref="Commit(string)"/>
    public static void Commit(string from, string path)
    {
        // A link at this path leads to a device, which cannot be flushed.
        if (new FileInfo(from).LinkTarget is null)
        {
            DiskFlush.FlushContents(from);
        }

        File.Move(from, path, overwrite: true);
        DiskFlush.FlushNames(ParentOf(path));
    }

    /// <summary>Gives a folder of complete files another name. The change survives a power failure.</summary>
    /// <exception cref="IOException">The folder cannot be renamed, for example because another folder has the new name.</exception>
    /// <exception cref="UnauthorizedAccessException">The file or folder cannot be renamed.</exception>
    public static void CommitFolder(string from, string path)
    {
        DiskFlush.FlushTree(from);
        Directory.Move(from, path);
        DiskFlush.FlushNames(ParentOf(path));
    }

    /// <summary>Gives the file its final name.</summary>
    /// <inheritdoc cref="Commit(string)"/>
    public void Commit() => Commit(_path);

    /// <summary>Deletes the partial file. A file that already has its final name stays.</summary>
    public void Delete() => File.Delete(PathFor(_path));

    /// <summary>Releases the lock. A partial file stays, so that it can be repaired.</summary>
    public void Dispose() => _lock.Dispose();

    private static string ParentOf(string path) => Path.GetDirectoryName(Path.GetFullPath(path))!;
}
