namespace Sc2Bridge.Simulator.Api;

/// <summary>The files on the disk, in the folders that the game was started with.</summary>
internal sealed class GameFiles(SimulatorOptions options) : IGameFiles
{
    private const long LargestReplay = 256 << 20;

    /// <inheritdoc/>
    public byte[]? ReadReplay(string path)
    {
        try
        {
            var file = new FileInfo(Path.Combine(options.ReplayFolder, path));
            return !file.Exists || file.Length > LargestReplay ? null
                : file.Length == 0 ? [] // also devices and pipes, which must not be read: they may have no end
                : File.ReadAllBytes(file.FullName);
        }
        catch (Exception error) when (IsOfFiles(error))
        {
            return null;
        }
    }

    /// <inheritdoc/>
    public bool WriteMap(string path, ReadOnlySpan<byte> data)
    {
        try
        {
            var folder = Path.GetFullPath(Path.Combine(options.TempFolder, "Maps")) + Path.DirectorySeparatorChar;
            var file = Path.GetFullPath(Path.Combine(folder, path));
            if (!file.StartsWith(folder, StringComparison.Ordinal) || file.Length == folder.Length)
            {
                return false;
            }

            Directory.CreateDirectory(Path.GetDirectoryName(file)!);
            File.WriteAllBytes(file, data);
            return true;
        }
        catch (Exception error) when (IsOfFiles(error))
        {
            return false;
        }
    }

    private static bool IsOfFiles(Exception error) =>
        error is IOException or UnauthorizedAccessException or ArgumentException or NotSupportedException;
}
