namespace Sc2Bridge.Simulator.Api;

/// <summary>The replays in the folder that the game was started with.</summary>
internal sealed class GameFiles(SimulatorOptions options) : IGameFiles
{
    private const long LargestReplay = 256 << 20;

    /// <inheritdoc/>
    public byte[]? ReadReplay(string path)
    {
        try
        {
            return Below(Path.GetFullPath(options.ReplayFolder), path) is { Exists: true, Length: <= LargestReplay } file
                ? file.Length == 0 ? [] // also devices and pipes: they must not be read, because they may never end
                : File.ReadAllBytes(file.FullName)
                : null;
        }
        catch (Exception error) when (
            error is IOException or UnauthorizedAccessException or ArgumentException or NotSupportedException)
        {
            return null;
        }
    }

    // Null for a path that leaves the folder, directly or through a link.
    private static FileInfo? Below(string folder, string path)
    {
        var relative = Path.GetRelativePath(folder, Path.GetFullPath(path, folder));
        if (Path.IsPathRooted(relative))
        {
            return null;
        }

        var at = folder;
        foreach (var part in relative.Split(Path.DirectorySeparatorChar))
        {
            at = Path.Combine(at, part);
            if (part == ".." || new FileInfo(at).LinkTarget is not null)
            {
                return null;
            }
        }

        return new FileInfo(at);
    }
}
