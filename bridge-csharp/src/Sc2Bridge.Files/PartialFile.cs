namespace Sc2Bridge.Files;

/// <summary>
/// A file that is named <c>NAME.partial</c> until it is complete. A lock file guards it, so that no other process
/// repairs or replaces it meanwhile. After a crash the partial file stays, and its lock is stale.
/// </summary>
public sealed class PartialFile : IDisposable
{
    /// <summary>The end of an incomplete file's name.</summary>
    public const string Suffix = ".partial";

    private readonly string _path;
    private readonly LockFile _lock;

    private PartialFile(string path, LockFile held, FileStream stream) => (_path, _lock, Stream) = (path, held, stream);

    /// <summary>The open file, unbuffered. Its writer closes it.</summary>
    public FileStream Stream { get; }

    /// <summary>The name of a file that is not complete.</summary>
    public static string Of(string path) => path + Suffix;

    /// <summary>Locks a file and begins to write it.</summary>
    /// <param name="path">Its final name.</param>
    /// <param name="replaces">Whether a partial file of a process that has ended is deleted; else it is an error.</param>
    /// <exception cref="IOException">Another process writes it, or it cannot be made.</exception>
    /// <exception cref="UnauthorizedAccessException">It cannot be made.</exception>
    public static PartialFile Create(string path, bool replaces)
    {
        var held = LockFile.Acquire(path);
        try
        {
            if (replaces)
            {
                File.Delete(Of(path));
            }

            return new(
                path, held, new FileStream(Of(path), FileMode.CreateNew, FileAccess.Write, FileShare.Read, bufferSize: 0));
        }
        catch
        {
            held.Dispose();
            throw;
        }
    }

    /// <summary>Gives a complete, closed file its final name, which survives a power cut.</summary>
    /// <exception cref="IOException">It cannot be renamed: it was moved or deleted, for example.</exception>
    /// <exception cref="UnauthorizedAccessException">It cannot be renamed.</exception>
    public static void Publish(string path) => Publish(Of(path), path);

    /// <summary>Gives a complete, closed file another name, which survives a power cut.</summary>
    /// <inheritdoc cref="Publish(string)"/>
    public static void Publish(string from, string path)
    {
        // A link here leads to a device, which keeps nothing.
        if (new FileInfo(from).LinkTarget is null)
        {
            DiskFlush.Contents(from);
        }

        File.Move(from, path, overwrite: true);
        DiskFlush.Names(ParentOf(path));
    }

    /// <summary>Gives a folder of complete files another name, which survives a power cut.</summary>
    /// <exception cref="IOException">It cannot be renamed: a folder has the name, for example.</exception>
    /// <exception cref="UnauthorizedAccessException">It cannot be renamed.</exception>
    public static void PublishFolder(string from, string path)
    {
        DiskFlush.Tree(from);
        Directory.Move(from, path);
        DiskFlush.Names(ParentOf(path));
    }

    /// <summary>Gives the file its final name.</summary>
    /// <inheritdoc cref="Publish(string)"/>
    public void Publish() => Publish(_path);

    /// <summary>Deletes the file, unless it has its final name.</summary>
    public void Delete() => File.Delete(Of(_path));

    /// <summary>Releases the lock. A file without its final name stays, to be repaired.</summary>
    public void Dispose() => _lock.Dispose();

    private static string ParentOf(string path) => Path.GetDirectoryName(Path.GetFullPath(path))!;
}
