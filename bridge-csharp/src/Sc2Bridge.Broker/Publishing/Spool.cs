using System.Buffers.Binary;
using Sc2Bridge.Files;

namespace Sc2Bridge.Broker.Publishing;

/// <summary>
/// A queue of records in a file that never grows beyond its bound: what is read makes room. It lives as long as its process.
/// For one thread at a time.
/// </summary>
internal sealed class Spool : IDisposable
{
    private const int Head = 4;
    private readonly string _path;
    private readonly long _most;
    private FileStream? _file;
    private long _read;
    private long _written;

    /// <param name="path">The file, made when it is needed.</param>
    /// <param name="most">Its bound in bytes.</param>
    internal Spool(string path, long most) => (_path, _most) = (path, most);

    /// <summary>Its bound in bytes.</summary>
    internal long Most => _most;

    /// <summary>Records that wait.</summary>
    internal int Count { get; private set; }

    /// <summary>Their bytes.</summary>
    internal long Bytes => _written - _read;

    /// <summary>Adds a record.</summary>
    /// <returns>False if there is no room.</returns>
    /// <exception cref="IOException">The file cannot be written; what it held before can still be read.</exception>
    internal bool TryAdd(ReadOnlySpan<byte> record)
    {
        if (Bytes + Head + record.Length > _most)
        {
            return false;
        }

        _file ??= OutputPath.Replace(_path, FileAccess.ReadWrite, FileShare.None, FileOptions.DeleteOnClose);
        Span<byte> head = stackalloc byte[Head];
        BinaryPrimitives.WriteInt32LittleEndian(head, record.Length);
        Write(_written, head);
        Write(_written + Head, record);
        _written += Head + record.Length;
        Count++;
        return true;
    }

    /// <summary>Takes the oldest record; null if none waits.</summary>
    /// <exception cref="IOException">The file cannot be read.</exception>
    internal byte[]? Take()
    {
        if (Count == 0)
        {
            return null;
        }

        Span<byte> head = stackalloc byte[Head];
        Read(_read, head);
        var record = new byte[BinaryPrimitives.ReadInt32LittleEndian(head)];
        Read(_read + Head, record);
        _read += Head + record.Length;
        if (--Count == 0)
        {
            // The next time begins at the file's beginning again.
            (_read, _written) = (0, 0);
        }

        return record;
    }

    /// <inheritdoc/>
    public void Dispose() => _file?.Dispose();

    // A record may go over the end, and goes on at the beginning.
    private void Write(long at, ReadOnlySpan<byte> bytes)
    {
        var first = (int)Math.Min(bytes.Length, _most - (at % _most));
        RandomAccess.Write(_file!.SafeFileHandle, bytes[..first], at % _most);
        RandomAccess.Write(_file.SafeFileHandle, bytes[first..], 0);
    }

    private void Read(long at, Span<byte> bytes)
    {
        var first = (int)Math.Min(bytes.Length, _most - (at % _most));
        ReadWhole(bytes[..first], at % _most);
        ReadWhole(bytes[first..], 0);
    }

    private void ReadWhole(Span<byte> bytes, long at)
    {
        while (bytes.Length > 0)
        {
            var read = RandomAccess.Read(_file!.SafeFileHandle, bytes, at);
            bytes = read > 0 ? bytes[read..] : throw new IOException($"{_path} is shorter than it was written");
            at += read;
        }
    }
}

/// <summary>The file of what waits for the broker cannot be read: what is in it is lost, and the broker is not to blame.</summary>
/// <param name="message">One line.</param>
/// <param name="inner">What was thrown.</param>
internal sealed class SpoolException(string message, Exception inner) : Exception(message, inner);
