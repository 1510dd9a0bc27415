using System.Runtime.InteropServices;
using Microsoft.Win32.SafeHandles;

namespace Sc2Bridge.Encodings.Zstd;

/// <summary>
/// What is used of libzstd's stable interface (https://facebook.github.io/zstd/zstd_manual.html; zstd.h of 1.4.0 and
/// later). Sizes are <c>size_t</c>; one that <see cref="IsError"/> is true of is an error's number.
/// </summary>
internal static unsafe partial class NativeZstd
{
    /// <summary>Resolved by <see cref="ZstdLibrary"/>, which knows its names.</summary>
    internal const string Name = "sc2bridge-libzstd";

    [LibraryImport(Name, EntryPoint = "ZSTD_isError")]
    internal static partial uint IsError(nuint code);

    [LibraryImport(Name, EntryPoint = "ZSTD_getErrorName")]
    internal static partial nint ErrorName(nuint code);

    [LibraryImport(Name, EntryPoint = "ZSTD_compressBound")]
    internal static partial nuint CompressBound(nuint size);

    [LibraryImport(Name, EntryPoint = "ZSTD_createCCtx")]
    internal static partial CompressContext CreateCompressContext();

    [LibraryImport(Name, EntryPoint = "ZSTD_freeCCtx")]
    internal static partial nuint FreeCompressContext(nint context);

    [LibraryImport(Name, EntryPoint = "ZSTD_CCtx_setParameter")]
    internal static partial nuint Set(CompressContext context, CompressParameter parameter, int value);

    [LibraryImport(Name, EntryPoint = "ZSTD_CCtx_reset")]
    internal static partial nuint Reset(CompressContext context, ResetDirective directive);

    [LibraryImport(Name, EntryPoint = "ZSTD_compress2")]
    internal static partial nuint Compress(
        CompressContext context, byte* to, nuint capacity, byte* from, nuint size);

    [LibraryImport(Name, EntryPoint = "ZSTD_compressStream2")]
    internal static partial nuint CompressStream(
        CompressContext context, OutBuffer* output, InBuffer* input, EndDirective directive);

    [LibraryImport(Name, EntryPoint = "ZSTD_createDCtx")]
    internal static partial DecompressContext CreateDecompressContext();

    [LibraryImport(Name, EntryPoint = "ZSTD_freeDCtx")]
    internal static partial nuint FreeDecompressContext(nint context);

    [LibraryImport(Name, EntryPoint = "ZSTD_DCtx_setParameter")]
    internal static partial nuint Set(DecompressContext context, DecompressParameter parameter, int value);

    [LibraryImport(Name, EntryPoint = "ZSTD_DCtx_reset")]
    internal static partial nuint Reset(DecompressContext context, ResetDirective directive);

    [LibraryImport(Name, EntryPoint = "ZSTD_decompressDCtx")]
    internal static partial nuint Decompress(
        DecompressContext context, byte* to, nuint capacity, byte* from, nuint size);

    [LibraryImport(Name, EntryPoint = "ZSTD_decompressStream")]
    internal static partial nuint DecompressStream(DecompressContext context, OutBuffer* output, InBuffer* input);

    [LibraryImport(Name, EntryPoint = "ZSTD_getFrameContentSize")]
    internal static partial ulong FrameContentSize(byte* from, nuint size);

    /// <summary>Throws where a call failed.</summary>
    /// <returns>What the call returned.</returns>
    /// <exception cref="ZstdException">With libzstd's own reason.</exception>
    internal static nuint Checked(nuint code) => IsError(code) == 0
        ? code
        : throw new ZstdException($"zstd: {Marshal.PtrToStringUTF8(ErrorName(code))}");

    /// <summary><c>ZSTD_cParameter</c>.</summary>
    internal enum CompressParameter
    {
        Level = 100,
        WindowLog = 101,
        HashLog = 102,
        Checksum = 201,
    }

    /// <summary><c>ZSTD_dParameter</c>.</summary>
    internal enum DecompressParameter
    {
        WindowLogMax = 100,
    }

    /// <summary><c>ZSTD_ResetDirective</c>.</summary>
    internal enum ResetDirective
    {
        Session = 1,
        SessionAndParameters = 3,
    }

    /// <summary><c>ZSTD_EndDirective</c>.</summary>
    internal enum EndDirective
    {
        Continue = 0,
        Flush = 1,
        End = 2,
    }

    /// <summary><c>ZSTD_inBuffer</c>.</summary>
    internal struct InBuffer
    {
        public byte* Source;
        public nuint Size;
        public nuint Position;
    }

    /// <summary><c>ZSTD_outBuffer</c>.</summary>
    internal struct OutBuffer
    {
        public byte* Target;
        public nuint Size;
        public nuint Position;
    }

    /// <summary><c>ZSTD_CCtx</c>.</summary>
    internal sealed class CompressContext() : SafeHandleZeroOrMinusOneIsInvalid(ownsHandle: true)
    {
        protected override bool ReleaseHandle() => FreeCompressContext(handle) == 0;
    }

    /// <summary><c>ZSTD_DCtx</c>.</summary>
    internal sealed class DecompressContext() : SafeHandleZeroOrMinusOneIsInvalid(ownsHandle: true)
    {
        protected override bool ReleaseHandle() => FreeDecompressContext(handle) == 0;
    }
}
