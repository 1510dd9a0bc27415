using System.IO.Hashing;
using Sc2Bridge.Games;
using Sc2Bridge.Recordings;
using Sc2Bridge.Recordings.Mcap;
using Sc2Bridge.V1;

namespace Sc2Bridge.Games.Tests.Recorded;

/// <summary>The values that identify a frame.</summary>
internal sealed record Given(uint Perspective, ulong Step, uint GameLoop, uint Crc, bool IsJump)
{
    public static Given Of(Seen seen, bool isJump = false) =>
        new(seen.Perspective, seen.Step, seen.GameLoop, seen.Crc, isJump);

    public static Given Of(ObservationFrame frame)
    {
        var given = new Given(
            frame.Header.Perspective, frame.Header.Step, frame.Header.GameLoop,
            Crc32.HashToUInt32(frame.Observation.Span), frame.Jump is not null);
        frame.Release();
        return given;
    }
}

/// <summary>Plays recordings in memory.</summary>
internal static class PlayedRecording
{
    public static RecordedSource Play(byte[] bytes, PlaybackOptions? options = null) =>
        RecordedSource.Open(() => RecordingReader.Open(new MemoryBytes(bytes)), options ?? new PlaybackOptions());

    /// <summary>All frames until the end.</summary>
    public static async Task<List<Given>> RestAsync(this RecordedSource source)
    {
        var all = new List<Given>();
        while (await source.NextAsync(Ct) is { } frame)
        {
            all.Add(Given.Of(frame));
        }

        return all;
    }

    /// <summary>Returns the next frame. False if the playback is paused.</summary>
    public static bool TryNext(this RecordedSource source, out Given? given)
    {
        using var giveUp = new CancellationTokenSource();
        var next = source.NextAsync(giveUp.Token).AsTask();
        if (!next.IsCompleted)
        {
            giveUp.Cancel();
            Assert.ThrowsAny<OperationCanceledException>(() => next.GetAwaiter().GetResult());
            given = null;
            return false;
        }

        given = next.Result is { } frame ? Given.Of(frame) : null;
        return true;
    }

    public static PlaybackState Pause(this RecordedSource source, bool pause = true) =>
        source.Control(new ControlRequest { Pause = pause });

    public static PlaybackState Step(this RecordedSource source, int steps) =>
        source.Control(new ControlRequest { Step = steps });

    public static PlaybackState SeekLoop(this RecordedSource source, uint loop) =>
        source.Control(new ControlRequest { SeekLoop = loop });

    public static PlaybackState SeekStep(this RecordedSource source, ulong step) =>
        source.Control(new ControlRequest { SeekStep = step });

    public static void Refused<T>(string why, Func<T> call)
        where T : class => Assert.Contains(why, Assert.Throws<GameException>(call).Message, StringComparison.Ordinal);
}
