using System.Text;

namespace Sc2Bridge.Files;

/// <summary>
/// A lock that is a file, so that every machine that shares the folder sees it: NFS and SMB do not have .NET's file
/// locks. The file names the process that holds it. If that process has ended on this machine, the next one takes the
/// lock over.
/// </summary>
public sealed class LockFile : IDisposable
{
    private const int LongestText = 16384;

    // Each try fails only because another process took or released the lock meanwhile.
    private const int MostTries = 100;

    // EEXIST, and ERROR_FILE_EXISTS.
    private const int Exists = 17;
    private const int ExistsOnWindows = unchecked((int)0x80070050);

    private readonly string _path;
    private string _text;
    private bool _isLeft;

    private LockFile(string path, string text) => (_path, _text) = (path, text);

    /// <summary>The lock file of a file or a folder.</summary>
    public static string Of(string path) => path + ".lock";

    /// <summary>Takes a lock that is free, or whose process has ended.</summary>
    /// <param name="path">The lock file.</param>
    /// <returns>Null if another process holds it, or may hold it.</returns>
    /// <exception cref="IOException">The file cannot be made.</exception>
    /// <exception cref="UnauthorizedAccessException">The file cannot be made.</exception>
    public static LockFile? TryAcquire(string path)
    {
        for (var tries = 0; tries < MostTries; tries++)
        {
            if (TryCreate(path) is { } created)
            {
                return created;
            }

            if (Read(path) is not { } text)
            {
                continue;
            }

            if (LockOwner.Parse(text) is not { HasEnded: true } ended)
            {
                return null;
            }

            // The right to delete the lock of this one dead process. Without it, a process that read the old text could
            // delete the lock of the next owner.
            using var right = TryAcquire($"{path}.{ended.Key:N}");
            if (right is null)
            {
                return null;
            }

            if (Read(path) == text)
            {
                File.Delete(path);
            }
        }

        return null;
    }

    /// <summary>Locks a file or a folder.</summary>
    /// <param name="target">The file or folder.</param>
    /// <exception cref="IOException">Another process holds the lock, or may hold it; or the lock file cannot be made.</exception>
    /// <exception cref="UnauthorizedAccessException">The lock file cannot be made.</exception>
    public static LockFile Acquire(string target) => TryAcquire(Of(target)) ?? throw new IOException(Describe(Of(target)));

    /// <summary>Whether a process holds a lock, or may hold it.</summary>
    public static bool IsHeld(string path) => Read(path) is { } text && LockOwner.Parse(text) is not { HasEnded: true };

    /// <summary>Who holds a lock, for an error message.</summary>
    public static string Describe(string path) =>
        $"{(Read(path) is { } text && LockOwner.Parse(text) is { } owner ? $"{owner}" : "an unknown process")} holds {path}: "
        + "delete that file if the process has ended";

    /// <summary>Who holds a lock, if this process cannot tell whether that process still runs; else null.</summary>
    public static string? Doubt(string path) =>
        Read(path) is { } text && LockOwner.Parse(text) is { Runs: null } ? Describe(path) : null;

    /// <summary>What the owner of a lock noted in it.</summary>
    /// <param name="path">The lock file.</param>
    /// <param name="name">The note's name.</param>
    public static string? NoteIn(string path, string name) => Read(path)?.Split('\n')
        .FirstOrDefault(line => line.StartsWith($"{name}=", StringComparison.Ordinal))?[(name.Length + 1)..];

    /// <summary>Notes something in the lock file, for the process that takes the lock over after a crash.</summary>
    /// <exception cref="IOException">The file cannot be written.</exception>
    public void Note(string name, string value)
    {
        var line = $"{name}={value}\n";
        File.AppendAllText(_path, line);
        _text += line;
    }

    /// <summary>The lock file stays when the lock is disposed: this process leaves something to repair.</summary>
    public void Leave() => _isLeft = _text.Length > 0;

    /// <summary>Releases the lock.</summary>
    public void Dispose()
    {
        try
        {
            // A person may have deleted it, and another process has taken it since.
            if (!_isLeft && Read(_path) == _text)
            {
                File.Delete(_path);
            }
        }
        catch (Exception gone) when (gone is IOException or UnauthorizedAccessException)
        {
            // Its folder was moved or deleted, or lost its permissions.
        }

        _isLeft = true;
    }

    // Only one process can create a file, also on NFS and SMB.
    private static LockFile? TryCreate(string path)
    {
        FileStream file;
        try
        {
            file = new FileStream(path, FileMode.CreateNew, FileAccess.Write, FileShare.ReadWrite | FileShare.Delete, bufferSize: 0);
        }
        catch (IOException error) when (error.HResult is Exists or ExistsOnWindows || Path.Exists(path))
        {
            return null;
        }

        using (file)
        {
            var text = LockOwner.New().ToText();
            try
            {
                file.Write(Encoding.UTF8.GetBytes(text));
                file.Flush(flushToDisk: true);
                return new LockFile(path, text);
            }
            catch (IOException)
            {
                // The disk is full. An empty lock is held until its owner deletes it.
                file.SetLength(0);
                return new LockFile(path, "");
            }
        }
    }

    // Null if the file does not exist. A file that cannot be read, or is not ours, counts as a lock of someone unknown.
    private static string? Read(string path)
    {
        try
        {
            using var file = new FileStream(path, FileMode.Open, FileAccess.Read, FileShare.ReadWrite | FileShare.Delete);
            return file.Length > LongestText ? "" : new StreamReader(file).ReadToEnd();
        }
        catch (Exception gone) when (gone is FileNotFoundException or DirectoryNotFoundException)
        {
            return null;
        }
        catch (Exception error) when (error is IOException or UnauthorizedAccessException)
        {
            return "";
        }
    }
}
