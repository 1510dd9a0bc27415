using Google.Protobuf;
using Sc2Bridge.Streaming;

namespace Sc2Bridge.Games;

/// <summary>A replay (<c>.SC2Replay</c>), read from its file.</summary>
/// <param name="Path">The file, as the user named it.</param>
/// <param name="Bytes">
/// The whole file. The game gets the bytes instead of the path, because the game may run in another folder or on another machine.
/// </param>
/// <param name="Head">The information in the file's beginning.</param>
public sealed record Replay(string Path, ByteString Bytes, ReplayHead Head)
{
    /// <summary>The extension of replays.</summary>
    public const string Extension = ".SC2Replay";

    // The longest known replays have a few MB.
    private const long Largest = 256 << 20;

    /// <summary>Whether a file has a replay's extension.</summary>
    public static bool HasReplayExtension(string path) =>
        path?.EndsWith(Extension, StringComparison.OrdinalIgnoreCase) ?? false;

    /// <summary>Reads a file.</summary>
    /// <exception cref="GameException">The file cannot be read, or is not a replay.</exception>
    public static Replay Read(string path)
    {
        ArgumentException.ThrowIfNullOrEmpty(path);
        byte[] bytes;
        try
        {
            var file = new FileInfo(path);
            if (!file.Exists)
            {
                throw new GameException($"There is no replay '{path}': check the path.");
            }

            if (file.Length > Largest)
            {
                throw new GameException($"{path} has {file.Length >> 20} MiB, which is too large for a replay: give a .SC2Replay file.");
            }

            // Devices and pipes have the length 0 and may have no end, so they are not read and count as empty.
            bytes = file.Length == 0 ? [] : File.ReadAllBytes(path);
        }
        catch (Exception error) when (error is IOException or UnauthorizedAccessException)
        {
            throw new GameException($"The replay {path} cannot be read: {error.Message}", error);
        }

        return new Replay(path, UnsafeByteOperations.UnsafeWrap(bytes), ReplayHead.Read(bytes, path));
    }
}
