using Sc2Bridge.Recordings.Writing;
using Sc2Bridge.Streaming;
using Sc2Bridge.V1;

namespace Sc2Bridge.Bench;

/// <summary>Writes the recording that measurements receive; it is whole once it bears its name.</summary>
internal static class SliceFile
{
    /// <summary>Records what is played.</summary>
    /// <param name="path">The file, made anew.</param>
    /// <param name="play">Publishes a match from its beginning to its end.</param>
    /// <exception cref="CommandException">The file cannot be written.</exception>
    public static async Task WriteAsync(string path, Func<Hub, Task<MatchEnd>> play)
    {
        var unfinished = path + ".part";
        string? problem = null;
        using (var hub = new Hub(new HubOptions()))
        using (var recorder = new MatchRecorder(
            hub,
            new FileStream(unfinished, FileMode.Create, FileAccess.Write, FileShare.Read, bufferSize: 0),
            new RecorderOptions(),
            line => problem ??= line,
            line => problem ??= line))
        {
            await recorder.EndAsync(await play(hub));
        }

        if (problem is not null)
        {
            throw new CommandException($"{path} cannot be written: {problem}");
        }

        File.Move(unfinished, path, overwrite: true);
    }
}
