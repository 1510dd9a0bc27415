using System.Runtime.CompilerServices;

namespace Sc2Bridge.Testing;

/// <summary>
/// The folder <c>shared</c> beside the repository, which holds the game's descriptors and real messages from it. It is
/// no part of the project: tests that need it have the trait <c>Needs</c> <c>real</c>, and skip where it is absent.
/// </summary>
public static class SharedFolder
{
    private static readonly string _root =
        Environment.GetEnvironmentVariable("SC2BRIDGE_SHARED") is { Length: > 0 } named
            ? named
            : Path.GetFullPath(Path.Combine(Path.GetDirectoryName(ThisFile())!, "../../../../shared"));

    /// <summary>A file's bytes; skips the test where it is absent.</summary>
    public static byte[] Read(string file)
    {
        var path = Path.Combine(_root, file);
        Assert.SkipUnless(File.Exists(path), $"{path} is not there (SC2BRIDGE_SHARED names the folder)");
        return File.ReadAllBytes(path);
    }

    /// <summary>The path of a folder in it; skips the test where it is absent.</summary>
    public static string Folder(string name)
    {
        var path = Path.Combine(_root, name);
        Assert.SkipUnless(Directory.Exists(path), $"{path} is not there (SC2BRIDGE_SHARED names the folder)");
        return path;
    }

    /// <summary>The real messages whose file name ends so; skips the test where there are none.</summary>
    public static IReadOnlyList<byte[]> RealMessages(string ending)
    {
        var files = RealFiles(ending);
        Assert.SkipUnless(files.Count > 0, $"no real messages in {_root} (SC2BRIDGE_SHARED names the folder)");
        return [.. files.Select(File.ReadAllBytes)];
    }

    /// <summary>The files of real messages whose name ends so, in a stable order; none where the folder is absent.</summary>
    public static IReadOnlyList<string> RealFiles(string ending)
    {
        var folder = Path.Combine(_root, "data", "real");
        return Directory.Exists(folder)
            ? [.. Directory.GetFiles(folder, $"*{ending}", SearchOption.AllDirectories).Order(StringComparer.Ordinal)]
            : [];
    }

    private static string ThisFile([CallerFilePath] string path = "") => path;
}
