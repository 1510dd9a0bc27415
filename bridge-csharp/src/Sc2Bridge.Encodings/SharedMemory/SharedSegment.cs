using System.ComponentModel;
using System.IO.MemoryMappedFiles;
using System.Numerics;
using System.Runtime.InteropServices;
using Microsoft.Win32.SafeHandles;

namespace Sc2Bridge.Encodings.SharedMemory;

/// <summary>
/// Memory that other processes of this machine read: a file without a name (memfd_create(2), Linux 5.1 and later). It is
/// sealed, so that only the mapping that this process has made can write. Given out in blocks. Thread-safe.
/// </summary>
public sealed partial class SharedSegment : IDisposable
{
    /// <summary>Bytes that may be shared at a time. The system has memory for those that were written.</summary>
    public const long DefaultCapacity = 128 << 20;

    // Blocks have a power of two of bytes; what is not written of one takes no memory.
    private const int LeastLog = 14;
    private const int MostLog = 24;

    private const uint CloseOnExec = 1;
    private const uint AllowSealing = 2;
    private const int AddSeals = 1033;
    private const int SealSeal = 1;
    private const int SealShrink = 2;
    private const int SealGrow = 4;
    private const int SealFutureWrite = 16;

    private readonly Lock _lock = new();
    private readonly Stack<long>[] _free = [.. Enumerable.Range(0, MostLog - LeastLog + 1).Select(_ => new Stack<long>())];
    private readonly MemoryMappedFile _file;
    private readonly MemoryMappedViewAccessor _view;
    private long _used;
    private int _held;

    private SharedSegment(SafeFileHandle handle, long capacity)
    {
        Handle = handle;
        Capacity = capacity;
        _file = MemoryMappedFile.CreateFromFile(
            handle, null, capacity, MemoryMappedFileAccess.ReadWrite, HandleInheritability.None, leaveOpen: true);
        _view = _file.CreateViewAccessor(0, capacity, MemoryMappedFileAccess.ReadWrite);
    }

    /// <summary>The file, for a reader to map.</summary>
    public SafeFileHandle Handle { get; }

    /// <summary>Its length in bytes.</summary>
    public long Capacity { get; }

    /// <summary>Blocks that somebody holds.</summary>
    public int Held => Volatile.Read(ref _held);

    /// <summary>A new one.</summary>
    /// <param name="capacity">Its length in bytes, whole pages.</param>
    /// <exception cref="IOException">This system has none; the message says why.</exception>
    public static SharedSegment Create(long capacity = DefaultCapacity)
    {
        if (!OperatingSystem.IsLinux())
        {
            throw new IOException("shared memory is for Linux");
        }

        var handle = CreateMemory("sc2bridge", CloseOnExec | AllowSealing);
        if (handle.IsInvalid)
        {
            handle.Dispose();
            throw new IOException($"this system gives no shared memory (memfd_create: {LastError()})");
        }

        try
        {
            var segment = new SharedSegment(handle, capacity);
            if (Control(handle, AddSeals, SealShrink | SealGrow | SealFutureWrite | SealSeal) != 0)
            {
                segment.Dispose();
                throw new IOException($"shared memory cannot be made read-only for others, for which Linux 5.1 is needed ({LastError()})");
            }

            return segment;
        }
        catch
        {
            handle.Dispose();
            throw;
        }
    }

    /// <summary>Puts bytes into a free block.</summary>
    /// <returns>Held for the caller; an empty one where there is no room.</returns>
    /// <exception cref="ObjectDisposedException">The segment is gone.</exception>
    public unsafe SharedBlock Write(ReadOnlySpan<byte> content)
    {
        var log = Math.Max(LeastLog, BitOperations.Log2((uint)Math.Max(content.Length, 1) - 1) + 1);
        if (log > MostLog || Take(log) is not { } offset)
        {
            return new SharedBlock(this, 0, 0, 0);
        }

        byte* start = null;
        var memory = _view.SafeMemoryMappedViewHandle;
        try
        {
            memory.AcquirePointer(ref start);
            // By a slice of the whole, so that what were outside throws.
            content.CopyTo(new Span<byte>(start, checked((int)Capacity)).Slice((int)offset, content.Length));
        }
        finally
        {
            if (start is not null)
            {
                memory.ReleasePointer();
            }
        }

        return new SharedBlock(this, offset, content.Length, log);
    }

    /// <summary>Ends this process's use; readers keep what they have mapped.</summary>
    public void Dispose()
    {
        _view.Dispose();
        _file.Dispose();
        Handle.Dispose();
    }

    internal void Free(long offset, int log)
    {
        lock (_lock)
        {
            _held--;
            _free[log - LeastLog].Push(offset);
        }
    }

    // The one that was freed last is in the caches. A block is never cut up: sizes grow with a match, and few are held.
    private long? Take(int log)
    {
        lock (_lock)
        {
            if (!_free[log - LeastLog].TryPop(out var offset))
            {
                var size = 1L << log;
                if (_used + size > Capacity)
                {
                    return null;
                }

                (offset, _used) = (_used, _used + size);
            }

            _held++;
            return offset;
        }
    }

    private static string LastError() => new Win32Exception(Marshal.GetLastPInvokeError()).Message;

    [LibraryImport("libc", EntryPoint = "memfd_create", StringMarshalling = StringMarshalling.Utf8, SetLastError = true)]
    [DefaultDllImportSearchPaths(DllImportSearchPath.SafeDirectories)]
    private static partial SafeFileHandle CreateMemory(string name, uint flags);

    [LibraryImport("libc", EntryPoint = "fcntl", SetLastError = true)]
    [DefaultDllImportSearchPaths(DllImportSearchPath.SafeDirectories)]
    private static partial int Control(SafeFileHandle file, int command, int argument);
}
