using System.Runtime.CompilerServices;

namespace Sc2Bridge.Testing;

/// <summary>
/// The folder <c>shared</c> next to the repository, with the game's descriptors and real messages from it. It is
/// not part of the project. Tests that need it have the trait <c>Needs</c> <c>real</c>, and are skipped if it is missing.
/// </summary>
public static class SharedFolder
{
    private static readonly string _root =
        Environment.GetEnvironmentVariable("SC2BRIDGE_SHARED") is { Length: > 0 } named
            ? named
            : Path.GetFullPath(Path.Combine(Path.GetDirectoryName(ThisFile())!, "../../../../shared"));

    /// <summary>A file's bytes. Skips the test if the file is missing.</summary>
    public static byte[] Read(string file)
    {
        var path = Path.Combine(_root, file);
        Assert.SkipUnless(File.Exists(path), $"{path} is not there (SC2BRIDGE_SHARED names the folder)");
        return File.ReadAllBytes(path);
    }

    /// <summary>The path of a folder in it. Skips the test if the folder is missing.</summary>
    public static string Folder(string name)
    {
        var path = Path.Combine(_root, name);
        Assert.SkipUnless(Directory.Exists(path), $"{path} is not there (SC2BRIDGE_SHARED names the folder)");
        return path;
    }

    /// <summary>The real messages whose file name has this ending. Skips the test if there are no such files.</summary>
    public static IReadOnlyList<byte[]> RealMessages(string ending)
    {
        var files = RealFiles(ending);
        Assert.SkipUnless(files.Count > 0, $"no real messages in {_root} (SC2BRIDGE_SHARED names the folder)");
        return [.. files.Select(File.ReadAllBytes)];
    }

    /// <summary>The files of real messages whose name has this ending, in a stable order. Empty if the folder is missing.</summary>
    public static IReadOnlyList<string> RealFiles(string ending)
    {
        var folder = Path.Combine(_root, "data", "real");
        return Directory.Exists(folder)
            ? [.. Directory.GetFiles(folder, $"*{ending}", SearchOption.AllDirectories).Order(StringComparer.Ordinal)]
            : [];
    }

    private static string ThisFile([CallerFilePath] string path = "") => path;
}
