using System.Buffers.Binary;

namespace Sc2Bridge.Cli;

/// <summary>
/// Writes the newest game loop into a file, for the post-mortem of a killed bridge. The logs contain less, because their rows wait for slow agents.
/// A thread of its own writes, so that a slow disk does not delay the match.
/// </summary>
internal sealed class ProgressNote : IDisposable
{
    /// <summary>The name of the file in the match's folder.</summary>
    internal const string FileName = "bridge.loop";

    // At 22.4 steps a second, each step is written.
    private static readonly TimeSpan Period = TimeSpan.FromMilliseconds(10);

    private static readonly TimeSpan EndPatience = TimeSpan.FromSeconds(1);

    private readonly string _path;
    private readonly Func<uint?> _gameLoop;
    private readonly ManualResetEventSlim _ended = new();
    private readonly Thread _thread;

    /// <summary>Starts to write.</summary>
    /// <param name="folder">The match's folder.</param>
    /// <param name="gameLoop">Returns the newest game loop; null before the first observation.</param>
    internal ProgressNote(string folder, Func<uint?> gameLoop)
    {
        (_path, _gameLoop) = (Path.Combine(folder, FileName), gameLoop);
        _thread = new Thread(Write) { IsBackground = true, Name = "progress note" };
        _thread.Start();
    }

    /// <summary>Reads a note, and deletes it. Null if it does not exist.</summary>
    internal static uint? ReadAndDelete(string folder)
    {
        var path = Path.Combine(folder, FileName);
        if (!OutputPath.IsOwnFile(path))
        {
            return null;
        }

        var bytes = File.ReadAllBytes(path);
        File.Delete(path);
        return bytes.Length == sizeof(uint) ? BinaryPrimitives.ReadUInt32LittleEndian(bytes) : null;
    }

    /// <summary>Stops writing, and deletes the file. Waits for a slow disk only for a short time.</summary>
    public void Dispose()
    {
        _ended.Set();
        _thread.Join(EndPatience);
    }

    private void Write()
    {
        try
        {
            FileStream? file = null;
            Span<byte> bytes = stackalloc byte[sizeof(uint)];
            for (uint? written = null; !_ended.Wait(Period);)
            {
                if (_gameLoop() is { } loop && loop != written)
                {
                    file ??= OutputPath.OpenReplacement(_path);
                    BinaryPrimitives.WriteUInt32LittleEndian(bytes, loop);
                    file.Position = 0;
                    file.Write(bytes);
                    written = loop;
                }
            }

            if (file is not null)
            {
                file.Dispose();
                File.Delete(_path);
            }
        }
        catch (Exception error) when (error is IOException or UnauthorizedAccessException)
        {
            // Without the note, the post-mortem of a killed bridge uses the logs.
        }
    }
}
