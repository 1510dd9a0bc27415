using Sc2Bridge.Games;
using Sc2Bridge.Recordings.Writing;
using Sc2Bridge.V1;

namespace Sc2Bridge.Games.Tests.Recorded;

/// <summary>A subscriber that skips frames receives the same from a playback as from the match, including the skipped events.</summary>
public sealed class SkippedInPlaybackTests
{
    private const int Steps = 60;
    private static readonly MatchDescription _description = new() { MatchId = "m1", Perspectives = { 0u } };

    [Fact]
    public async Task Skipped_frames_are_summed_up_as_in_the_match()
    {
        var sink = new MemorySink();
        using var writer = new RecordingWriter(sink, _description, nowNs: 0, unixOffsetNs: 1_000_000_000);
        var step = 0;
        var live = await HearAsync(_ =>
        {
            if (step == Steps)
            {
                return ValueTask.FromResult<ObservationFrame?>(null);
            }

            var frame = ObservationFrame.Copy(
                Observation(step), new FrameHeader("m1", 0, (ulong)step, 7 * (uint)step, step * 1000, step * 1001));
            writer.Add(frame);
            step++;
            return ValueTask.FromResult<ObservationFrame?>(frame);
        });
        writer.Finish(new MatchEnd { MatchId = "m1" }, 1_000_000);
        await using var source = PlayedRecording.Play(sink.Bytes);
        Assert.Equal(live, await HearAsync(source.NextAsync));
        Assert.InRange(live.Count(line => line.Contains("\"skipped\"", StringComparison.Ordinal)), 10, Steps);
    }

    // The frames that a `latest` subscriber gets if it reads at random times, whole and without a part.
    private static async Task<List<string>> HearAsync(Func<CancellationToken, ValueTask<ObservationFrame?>> next)
    {
        using var hub = new Hub(new HubOptions());
        hub.Announce(_description, new Nobody());
        var subscribers = new[] { new[] { Part.Unspecified }, [Part.Score] }.Select(parts => hub.Subscribe(
            new V1.SubscribeRequest { Policy = Policy.Latest, Exclude = { parts.Where(part => part != 0) } },
            new SubscriberInfo("test", false))).ToList();
        var heard = new List<string>();
        var random = new Random(3);
        while (await next(Ct) is { } frame)
        {
            await hub.Publisher.PublishAsync(frame, Ct);
            if (random.Next(3) == 0)
            {
                foreach (var (subscriber, excluded) in subscribers.Zip([PartSet.None, PartSet.Score]))
                {
                    var delivery = await subscriber.ReadAsync(Ct);
                    var told = delivery.Parsed();
                    (told.RequestedNs, told.ObservedNs) = (0, 0);
                    using var seen = delivery.Frame!.ObservationWithout(excluded);
                    heard.Add($"{Convert.ToHexString(seen.Span)} {told}");
                    delivery.Release();
                }
            }
        }

        return heard;
    }

    private static byte[] Observation(int step) => new ResponseObservation
    {
        Observation = new Observation
        {
            GameLoop = 7 * (uint)step,
            Score = new Score { Score_ = step },
            Alerts = { (Alert)(1 + (step % 19)) },
            RawData = new ObservationRaw
            {
                Event = new SC2APIProtocol.Event { DeadUnits = { (ulong)step } },
                Player = new PlayerRaw { UpgradeIds = { (uint)(step / 10) } },
            },
        },
        Chat = { new ChatReceived { PlayerId = 1, Message = $"gg {step}" } },
    }.ToByteArray();

    private sealed class Nobody : IGameRequests
    {
        public Task<Response> RequestAsync(uint perspective, Request request, CancellationToken ct) =>
            throw new InvalidOperationException("nobody asks");
    }
}
