using Google.Protobuf;
using Sc2Bridge.Streaming;

namespace Sc2Bridge.Games;

/// <summary>A replay (<c>.SC2Replay</c>), read from its file.</summary>
/// <param name="Path">The file, as it was named.</param>
/// <param name="Bytes">
/// All of it: the game gets the bytes and not the path, which it may look for elsewhere, or on another machine.
/// </param>
/// <param name="Head">What it says of itself.</param>
public sealed record Replay(string Path, ByteString Bytes, ReplayHead Head)
{
    /// <summary>How the files are named.</summary>
    public const string Extension = ".SC2Replay";

    // The longest that are known have a few MB.
    private const long Largest = 256 << 20;

    /// <summary>Whether a file is a replay by its name.</summary>
    public static bool IsNamedSo(string path) =>
        path?.EndsWith(Extension, StringComparison.OrdinalIgnoreCase) ?? false;

    /// <summary>Reads a file.</summary>
    /// <exception cref="GameException">It cannot be read, or is no replay.</exception>
    public static Replay Read(string path)
    {
        ArgumentException.ThrowIfNullOrEmpty(path);
        byte[] bytes;
        try
        {
            var file = new FileInfo(path);
            if (!file.Exists)
            {
                throw new GameException($"There is no replay '{path}'.");
            }

            if (file.Length > Largest)
            {
                throw new GameException($"{path} has {file.Length >> 20} MiB: no replay is so large.");
            }

            // Devices and pipes, which have no length and may have no end, come out empty.
            bytes = file.Length == 0 ? [] : File.ReadAllBytes(path);
        }
        catch (Exception error) when (error is IOException or UnauthorizedAccessException)
        {
            throw new GameException($"The replay {path} cannot be read: {error.Message}", error);
        }

        return new Replay(path, UnsafeByteOperations.UnsafeWrap(bytes), ReplayHead.Read(bytes, path));
    }
}
