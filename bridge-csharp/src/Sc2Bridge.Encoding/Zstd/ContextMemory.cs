using System.Runtime.CompilerServices;
using System.Runtime.InteropServices;

namespace Sc2Bridge.Encoding.Zstd;

/// <summary>
/// Where a context of libzstd has its memory, so that it can be brought back into the processor's caches. Not
/// thread-safe: not to be read while the context works.
/// </summary>
/// <remarks>
/// A context takes one large block for its window and tables; the small ones beside it do not matter. The allocator is
/// handed over by <c>ZSTD_createCCtx_advanced</c>, which libzstd exports without promising to keep it: where it is
/// missing, contexts work without this.
/// </remarks>
internal sealed unsafe class ContextMemory : IDisposable
{
    private const int CacheLine = 64;

    // What the callbacks know of it: unmanaged, as they are called with its address.
    private readonly Largest* _largest = (Largest*)NativeMemory.AllocZeroed((nuint)sizeof(Largest));

    /// <summary>What <c>ZSTD_createCCtx_advanced</c> takes.</summary>
    public NativeZstd.CustomMemory Allocator => new() { Allocate = &Allocate, Free = &Free, Owner = _largest };

    /// <summary>Reads a byte of each cache line.</summary>
    public void Touch()
    {
        var end = _largest->Start + _largest->Size;
        for (var at = _largest->Start; at < end; at += CacheLine)
        {
            _ = Volatile.Read(ref *at);
        }
    }

    /// <summary>To be called when the context is freed.</summary>
    public void Dispose() => NativeMemory.Free(_largest);

    [UnmanagedCallersOnly(CallConvs = [typeof(CallConvCdecl)])]
    private static void* Allocate(void* owner, nuint size)
    {
        var largest = (Largest*)owner;
        byte* block;
        try
        {
            block = (byte*)NativeMemory.Alloc(size);
        }
        catch (OutOfMemoryException)
        {
            // An exception cannot pass through libzstd, which reports this as its own error.
            return null;
        }

        if (size > largest->Size)
        {
            largest->Start = block;
            largest->Size = size;
        }

        return block;
    }

    [UnmanagedCallersOnly(CallConvs = [typeof(CallConvCdecl)])]
    private static void Free(void* owner, void* block)
    {
        var largest = (Largest*)owner;
        if (block == largest->Start)
        {
            largest->Start = null;
            largest->Size = 0;
        }

        NativeMemory.Free(block);
    }

    private struct Largest
    {
        public byte* Start;
        public nuint Size;
    }
}
