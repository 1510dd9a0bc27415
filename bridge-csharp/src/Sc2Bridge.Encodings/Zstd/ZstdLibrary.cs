using System.Reflection;
using System.Runtime.InteropServices;

namespace Sc2Bridge.Encodings.Zstd;

/// <summary>
/// The system's libzstd: found on first use, so that its absence troubles nobody who does not ask for it.
/// </summary>
public static unsafe class ZstdLibrary
{
    /// <summary>Names a library's file in place of the system's.</summary>
    public const string FileVariable = "SC2BRIDGE_LIBZSTD";

    // The interface that is used here became stable with 1.4.0.
    private const int OldestVersion = 1_04_00;

    private const string Remedy =
        "install libzstd 1.4 or later (Debian and Ubuntu: libzstd1; Fedora: libzstd; macOS: brew install zstd)";

    private static readonly Lazy<(nint Handle, string? Problem)> Loaded = new(Load);

    static ZstdLibrary() => NativeLibrary.SetDllImportResolver(
        typeof(ZstdLibrary).Assembly,
        static (name, _, _) => name == NativeZstd.Name ? Loaded.Value.Handle : 0);

    /// <summary>Why zstd cannot be used and what to install, in one line; null where it can.</summary>
    public static string? Problem => Loaded.Value.Problem;

    /// <summary>Throws where zstd cannot be used.</summary>
    /// <exception cref="ZstdException">With <see cref="Problem"/>.</exception>
    internal static void Require()
    {
        if (Problem is { } problem)
        {
            throw new ZstdException(problem);
        }
    }

    private static (nint Handle, string? Problem) Load()
    {
        var named = Environment.GetEnvironmentVariable(FileVariable);
        foreach (var name in string.IsNullOrEmpty(named) ? UsualNames() : [named])
        {
            if (!NativeLibrary.TryLoad(name, Assembly.GetExecutingAssembly(), null, out var handle))
            {
                continue;
            }

            if (!NativeLibrary.TryGetExport(handle, "ZSTD_versionNumber", out var address))
            {
                return (0, $"{name} is no libzstd: {Remedy}");
            }

            var version = (int)((delegate* unmanaged<uint>)address)();
            return version >= OldestVersion
                ? (handle, null)
                : (0, $"libzstd {version / 10000}.{version / 100 % 100}.{version % 100} is too old: {Remedy}");
        }

        return (0, string.IsNullOrEmpty(named)
            ? $"libzstd is not installed: {Remedy}"
            : $"there is no libzstd at {named}, which {FileVariable} names: unset it, or {Remedy}");
    }

    private static string[] UsualNames()
    {
        if (OperatingSystem.IsMacOS())
        {
            // Homebrew's folders are not searched by themselves.
            return
            [
                "libzstd.1.dylib", "libzstd.dylib",
                "/opt/homebrew/lib/libzstd.1.dylib", "/usr/local/lib/libzstd.1.dylib",
            ];
        }

        return OperatingSystem.IsWindows() ? ["libzstd.dll", "zstd.dll"] : ["libzstd.so.1", "libzstd.so"];
    }
}
