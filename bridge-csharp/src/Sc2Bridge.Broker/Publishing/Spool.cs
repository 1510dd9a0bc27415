using System.Buffers.Binary;
using Sc2Bridge.Files;

namespace Sc2Bridge.Broker.Publishing;

/// <summary>
/// A queue of records in a file of limited size, used as a ring buffer. The file is deleted when the queue is disposed. Not
/// thread-safe.
/// </summary>
internal sealed class Spool : IDisposable
{
    private const int HeaderBytes = 4;
    private readonly string _path;
    private readonly long _maxBytes;
    private FileStream? _file;
    private long _readPosition;
    private long _writePosition;

    /// <param name="path">The path of the file. The file is created with the first record.</param>
    /// <param name="maxBytes">The maximum size of the file in bytes.</param>
    internal Spool(string path, long maxBytes) => (_path, _maxBytes) = (path, maxBytes);

    /// <summary>The maximum size of the file in bytes.</summary>
    internal long MaxBytes => _maxBytes;

    /// <summary>The number of records.</summary>
    internal int Count { get; private set; }

    /// <summary>The number of bytes of all records.</summary>
    internal long Bytes => _writePosition - _readPosition;

    /// <summary>Adds a record.</summary>
    /// <returns>False if the file has no room for the record.</returns>
    /// <exception cref="IOException">The file cannot be written. Earlier records can still be read.</exception>
    internal bool TryAdd(ReadOnlySpan<byte> record)
    {
        if (Bytes + HeaderBytes + record.Length > _maxBytes)
        {
            return false;
        }

        _file ??= OutputPath.OpenReplacement(_path, FileAccess.ReadWrite, FileShare.None, FileOptions.DeleteOnClose);
        Span<byte> head = stackalloc byte[HeaderBytes];
        BinaryPrimitives.WriteInt32LittleEndian(head, record.Length);
        Write(_writePosition, head);
        Write(_writePosition + HeaderBytes, record);
        _writePosition += HeaderBytes + record.Length;
        Count++;
        return true;
    }

    /// <summary>Removes the oldest record; returns null if the queue is empty.</summary>
    /// <exception cref="IOException">The file cannot be read.</exception>
    internal byte[]? Dequeue()
    {
        if (Count == 0)
        {
            return null;
        }

        Span<byte> head = stackalloc byte[HeaderBytes];
        Read(_readPosition, head);
        var record = new byte[BinaryPrimitives.ReadInt32LittleEndian(head)];
        Read(_readPosition + HeaderBytes, record);
        _readPosition += HeaderBytes + record.Length;
        if (--Count == 0)
        {
            // An empty queue starts at the file's beginning again.
            (_readPosition, _writePosition) = (0, 0);
        }

        return record;
    }

    /// <inheritdoc/>
    public void Dispose() => _file?.Dispose();

    // A record that reaches the end of the file continues at the beginning of the file.
    private void Write(long position, ReadOnlySpan<byte> bytes)
    {
        var firstLength = (int)Math.Min(bytes.Length, _maxBytes - (position % _maxBytes));
        RandomAccess.Write(_file!.SafeFileHandle, bytes[..firstLength], position % _maxBytes);
        RandomAccess.Write(_file.SafeFileHandle, bytes[firstLength..], 0);
    }

    private void Read(long position, Span<byte> bytes)
    {
        var firstLength = (int)Math.Min(bytes.Length, _maxBytes - (position % _maxBytes));
        ReadWhole(bytes[..firstLength], position % _maxBytes);
        ReadWhole(bytes[firstLength..], 0);
    }

    private void ReadWhole(Span<byte> bytes, long position)
    {
        while (bytes.Length > 0)
        {
            var read = RandomAccess.Read(_file!.SafeFileHandle, bytes, position);
            bytes = read > 0 ? bytes[read..] : throw new IOException($"{_path} ends before the data that the bridge wrote: another program changed the file");
            position += read;
        }
    }
}

/// <summary>Messages that wait for the broker cannot be read from the spool file, and are lost. The broker is not the cause.</summary>
/// <param name="message">The problem, as one line.</param>
/// <param name="inner">The cause.</param>
internal sealed class SpoolException(string message, Exception inner) : Exception(message, inner);
