using System.Text;

namespace Sc2Bridge.Files;

/// <summary>
/// A lock in the form of a file, so that every machine that shares the folder sees the lock. (.NET's own file locks do not
/// work on NFS and SMB.) The file names the process that holds the lock. If that process ran on this machine and has ended,
/// another process can take over the lock.
/// </summary>
public sealed class LockFile : IDisposable
{
    private const int LongestText = 16384;

    // A try fails only if another process acquires or releases the lock at the same moment.
    private const int MostTries = 100;

    // EEXIST of Unix, and ERROR_FILE_EXISTS of Windows.
    private const int FileExistsError = 17;
    private const int FileExistsErrorOnWindows = unchecked((int)0x80070050);

    private readonly string _path;
    private string _text;
    private bool _keepsFile;

    private LockFile(string path, string text) => (_path, _text) = (path, text);

    /// <summary>The path of the lock file for a file or a folder.</summary>
    public static string PathFor(string path) => path + ".lock";

    /// <summary>Acquires a lock if it is free, or if the process that held it has ended.</summary>
    /// <param name="path">The lock file.</param>
    /// <returns>The lock; null if another process holds it or might hold it.</returns>
    /// <exception cref="IOException">The lock file cannot be created.</exception>
    /// <exception cref="UnauthorizedAccessException">The lock file cannot be created.</exception>
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

            // This second lock gives the right to delete the lock of the ended process. Without the second lock, another
            // process that has read the old text could delete the lock of the next owner.
            using var deletionLock = TryAcquire($"{path}.{ended.Key:N}");
            if (deletionLock is null)
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
    /// <exception cref="IOException">Another process holds the lock or might hold it, or the lock file cannot be created.</exception>
    /// <exception cref="UnauthorizedAccessException">The lock file cannot be created.</exception>
    public static LockFile Acquire(string target) => TryAcquire(PathFor(target)) ?? throw new IOException(DescribeOwner(PathFor(target)));

    /// <summary>Whether a process holds a lock or might hold it.</summary>
    public static bool IsHeld(string path) => Read(path) is { } text && LockOwner.Parse(text) is not { HasEnded: true };

    /// <summary>Names the process that holds a lock, and the remedy, for an error message.</summary>
    public static string DescribeOwner(string path) =>
        $"{(Read(path) is { } text && LockOwner.Parse(text) is { } owner ? $"{owner}" : "an unknown process")} holds {path}: "
        + "delete that file if the process has ended";

    /// <summary>Like <see cref="DescribeOwner"/>, but returns null unless it is uncertain whether the process that holds the lock still runs.</summary>
    public static string? DescribeIfUncertain(string path) =>
        Read(path) is { } text && LockOwner.Parse(text) is { IsAlive: null } ? DescribeOwner(path) : null;

    /// <summary>Reads a note from a lock file. Returns null if the file has no such note.</summary>
    /// <param name="path">The lock file.</param>
    /// <param name="name">The name of the note.</param>
    public static string? ReadNote(string path, string name) => Read(path)?.Split('\n')
        .FirstOrDefault(line => line.StartsWith($"{name}=", StringComparison.Ordinal))?[(name.Length + 1)..];

    /// <summary>Adds a note to the lock file. After a crash, the process that takes over the lock reads the note.</summary>
    /// <exception cref="IOException">The file cannot be written.</exception>
    public void WriteNote(string name, string value)
    {
        var line = $"{name}={value}\n";
        File.AppendAllText(_path, line);
        _text += line;
    }

    /// <summary>Replaces a note by one that is not longer. This needs no room on the disk.</summary>
    /// <exception cref="IOException">The file cannot be written.</exception>
    /// <exception cref="UnauthorizedAccessException">The file cannot be written.</exception>
    public void ReplaceNote(string name, string value)
    {
        var start = _text.IndexOf($"\n{name}=", StringComparison.Ordinal) + name.Length + 2;
        if (start < name.Length + 2 || Read(_path) != _text)
        {
            return;
        }

        var end = _text.IndexOf('\n', start);
        var padded = value.PadRight(Encoding.UTF8.GetByteCount(_text[start..end]));
        ArgumentOutOfRangeException.ThrowIfGreaterThan(Encoding.UTF8.GetByteCount(padded), Encoding.UTF8.GetByteCount(_text[start..end]), nameof(value));
        using var file = new FileStream(_path, FileMode.Open, FileAccess.Write, FileShare.ReadWrite | FileShare.Delete, bufferSize: 0);
        file.Position = Encoding.UTF8.GetByteCount(_text[..start]);
        file.Write(Encoding.UTF8.GetBytes(padded));
        _text = _text[..start] + padded + _text[end..];
    }

    /// <summary>Makes <see cref="Dispose"/> keep the lock file, because this process leaves files that must be repaired.</summary>
    public void KeepFile() => _keepsFile = _text.Length > 0;

    /// <summary>Releases the lock.</summary>
    public void Dispose()
    {
        try
        {
            // A user may have deleted the lock file, and another process may have acquired the lock since then.
            if (!_keepsFile && Read(_path) == _text)
            {
                File.Delete(_path);
            }
        }
        catch (Exception gone) when (gone is IOException or UnauthorizedAccessException)
        {
            // The folder was moved or deleted, or its permissions have changed.
        }

        _keepsFile = true;
    }

    // Only one process can create a file, also on NFS and SMB.
    private static LockFile? TryCreate(string path)
    {
        FileStream file;
        try
        {
            file = new FileStream(path, FileMode.CreateNew, FileAccess.Write, FileShare.ReadWrite | FileShare.Delete, bufferSize: 0);
        }
        catch (IOException error) when (error.HResult is FileExistsError or FileExistsErrorOnWindows || Path.Exists(path))
        {
            return null;
        }

        using (file)
        {
            var text = LockOwner.ForThisProcess().ToText();
            try
            {
                file.Write(Encoding.UTF8.GetBytes(text));
                file.Flush(flushToDisk: true);
                return new LockFile(path, text);
            }
            catch (IOException)
            {
                // The disk is full. An empty lock file counts as held until its owner deletes it.
                file.SetLength(0);
                return new LockFile(path, "");
            }
        }
    }

    // Returns null if the file does not exist. Returns "" if it cannot be read or is too long; an unknown process then holds the lock.
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
