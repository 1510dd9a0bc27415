using Sc2Bridge.Encodings.Payloads;
using Sc2Bridge.Streaming;

namespace Sc2Bridge.Encodings.Tests.Payloads;

/// <summary>A match without a game, with subscribers that use compression.</summary>
internal sealed class CompressedMatch : IGameRequests, IDisposable
{
    private readonly List<ObservationFrame> _frames = [];

    public CompressedMatch()
    {
        Hub = new Hub(new HubOptions { LockstepDeadline = Timeout.InfiniteTimeSpan });
        Hub.Announce(new MatchDescription { MatchId = "match \"1\"", Perspectives = { 0, 2 } }, this);
    }

    public Hub Hub { get; }

    public SharedCompression Shared { get; } = new();

    public static byte[] Observation(ulong step, uint perspective = 0)
    {
        var observation = new ResponseObservation
        {
            Observation = new() { GameLoop = (uint)step, Score = new() { Score_ = (int)step }, RawData = new() },
        };
        for (var unit = 0u; unit < 40; unit++)
        {
            observation.Observation.RawData.Units.Add(new Unit
            {
                Tag = 4_342_153_217ul + unit,
                Health = unit == step % 40 ? (float)step : 45,
                Pos = new() { X = unit, Y = perspective, Z = (float)((unit + step) % 7) },
            });
        }

        if (step % 3 == 0)
        {
            observation.Chat.Add(new ChatReceived { PlayerId = 1, Message = $"step {step}" });
        }

        return observation.ToByteArray();
    }

    public Listener Listen(
        MessageForm form, Policy policy, Compression compression = Compression.GroupZstd, bool inline = false,
        uint perspective = 0, Content content = Content.Observation, params Part[] leaveOut) => new(
        Hub,
        Shared,
        form,
        new()
        {
            Policy = policy,
            Compression = compression,
            Content = content,
            Perspective = perspective,
            Exclude = { leaveOut },
        },
        inline);

    public ValueTask PublishAsync(ulong step, uint perspective = 0, byte[]? observation = null)
    {
        var header = new FrameHeader("match \"1\"", perspective, step, (uint)step, 1000, 2000 + (long)step);
        _frames.Add(ObservationFrame.Copy(observation ?? Observation(step, perspective), header));
        return Hub.Publisher.PublishAsync(_frames[^1], Ct);
    }

    /// <summary>Checks that every buffer was released.</summary>
    public void AssertAllReleased()
    {
        Assert.Equal(0, Shared.Streams);
        Assert.All(_frames, frame => Assert.False(frame.TryRetain()));
    }

    public Task<Response> RequestAsync(uint perspective, Request request, CancellationToken ct) =>
        throw new InvalidOperationException("There is no game.");

    public void Dispose() => Hub.Dispose();
}
