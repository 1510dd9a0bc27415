using System.ComponentModel;
using System.IO.MemoryMappedFiles;
using System.Numerics;
using System.Runtime.InteropServices;
using Microsoft.Win32.SafeHandles;

namespace Sc2Bridge.Encodings.SharedMemory;

/// <summary>
/// Memory that other processes of this machine can read: an anonymous file (memfd_create(2), Linux 5.1 and later). The file is sealed, so
/// that only this process can write to it. Frames are written to blocks of the memory. Thread-safe.
/// </summary>
public sealed partial class SharedSegment : IDisposable
{
    /// <summary>The default size of a segment: 128 MiB. The system allocates only the pages that were written.</summary>
    public const long DefaultCapacity = 128 << 20;

    // The size of a block is a power of two. Pages of a block that were never written take no memory.
    private const int LeastBlockSizeLog = 14;
    private const int MostBlockSizeLog = 24;

    private const uint CloseOnExec = 1;
    private const uint AllowSealing = 2;
    private const int AddSeals = 1033;
    private const int SealSeal = 1;
    private const int SealShrink = 2;
    private const int SealGrow = 4;
    private const int SealFutureWrite = 16;

    private readonly Lock _lock = new();
    private readonly Stack<long>[] _free = [.. Enumerable.Range(0, MostBlockSizeLog - LeastBlockSizeLog + 1).Select(_ => new Stack<long>())];
    private readonly MemoryMappedFile _file;
    private readonly MemoryMappedViewAccessor _view;
    private long _allocatedBytes;
    private int _blocksInUse;

    private SharedSegment(SafeFileHandle handle, long capacity)
    {
        Handle = handle;
        Capacity = capacity;
        _file = MemoryMappedFile.CreateFromFile(
            handle, null, capacity, MemoryMappedFileAccess.ReadWrite, HandleInheritability.None, leaveOpen: true);
        _view = _file.CreateViewAccessor(0, capacity, MemoryMappedFileAccess.ReadWrite);
    }

    /// <summary>The file that subscribers map.</summary>
    public SafeFileHandle Handle { get; }

    /// <summary>The length in bytes.</summary>
    public long Capacity { get; }

    /// <summary>The number of blocks with references.</summary>
    public int BlocksInUse => Volatile.Read(ref _blocksInUse);

    /// <summary>Creates a segment.</summary>
    /// <param name="capacity">The length in bytes, a multiple of the page size.</param>
    /// <exception cref="IOException">The system does not support shared memory. The exception's message has the reason.</exception>
    public static SharedSegment Create(long capacity = DefaultCapacity)
    {
        if (!OperatingSystem.IsLinux())
        {
            throw new IOException("shared memory is supported on Linux only");
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
                throw new IOException($"shared memory cannot be made read-only for other processes: Linux 5.1 or later is needed ({LastError()})");
            }

            return segment;
        }
        catch
        {
            handle.Dispose();
            throw;
        }
    }

    /// <summary>Copies bytes into a free block.</summary>
    /// <returns>The block, which the caller must release. If the segment has no room, the block is empty.</returns>
    /// <exception cref="ObjectDisposedException">The segment is disposed.</exception>
    public unsafe SharedBlock Write(ReadOnlySpan<byte> content)
    {
        var sizeLog = Math.Max(LeastBlockSizeLog, BitOperations.Log2((uint)Math.Max(content.Length, 1) - 1) + 1);
        if (sizeLog > MostBlockSizeLog || TryAllocate(sizeLog) is not { } offset)
        {
            return new SharedBlock(this, 0, 0, 0);
        }

        byte* start = null;
        var memory = _view.SafeMemoryMappedViewHandle;
        try
        {
            memory.AcquirePointer(ref start);
            // Slicing the whole segment checks the bounds.
            content.CopyTo(new Span<byte>(start, checked((int)Capacity)).Slice((int)offset, content.Length));
        }
        finally
        {
            if (start is not null)
            {
                memory.ReleasePointer();
            }
        }

        return new SharedBlock(this, offset, content.Length, sizeLog);
    }

    /// <summary>Unmaps the memory in this process. Subscribers keep their mappings.</summary>
    public void Dispose()
    {
        _view.Dispose();
        _file.Dispose();
        Handle.Dispose();
    }

    internal void Free(long offset, int sizeLog)
    {
        lock (_lock)
        {
            _blocksInUse--;
            _free[sizeLog - LeastBlockSizeLog].Push(offset);
        }
    }

    // Reuses the block that was freed last, because it is probably in the CPU cache. Blocks are not split, because frames grow during a match.
    private long? TryAllocate(int sizeLog)
    {
        lock (_lock)
        {
            if (!_free[sizeLog - LeastBlockSizeLog].TryPop(out var offset))
            {
                var size = 1L << sizeLog;
                if (_allocatedBytes + size > Capacity)
                {
                    return null;
                }

                (offset, _allocatedBytes) = (_allocatedBytes, _allocatedBytes + size);
            }

            _blocksInUse++;
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
