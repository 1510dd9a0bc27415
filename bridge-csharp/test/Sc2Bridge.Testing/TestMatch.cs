using Google.Protobuf;
using SC2APIProtocol;
using Sc2Bridge.Streaming;
using Sc2Bridge.V1;

namespace Sc2Bridge.Testing;

/// <summary>A match without a game: its description, its frames and a hub to publish them in.</summary>
public sealed class TestMatch : IGameRequests, IDisposable
{
    public const string Name = "test";

    public TestMatch(bool realtime = false, bool announce = true, HubOptions? options = null)
    {
        Hub = new Hub(options ?? new HubOptions { LockstepDeadline = Timeout.InfiniteTimeSpan });
        Description = new MatchDescription { MatchId = Name, Realtime = realtime, Perspectives = { 0, 2 } };
        if (announce)
        {
            Hub.Announce(Description, this);
        }
    }

    public Hub Hub { get; }

    public MatchDescription Description { get; private set; }

    public List<ObservationFrame> Frames { get; } = [];

    public List<(uint Perspective, Request Request)> Asked { get; } = [];

    public Subscription Subscribe(
        Policy policy, Overflow whenFull = Overflow.Unspecified, ulong queueBytes = 0, bool inline = false,
        params Part[] leaveOut) => Hub.Subscribe(
        new V1.SubscribeRequest { Policy = policy, Overflow = whenFull, QueueBytes = queueBytes, Exclude = { leaveOut } },
        new SubscriberInfo("test", inline));

    /// <summary>Ends the match and begins another one.</summary>
    public void Follow(string name)
    {
        Hub.End(new MatchEnd { NextFollows = true });
        Description = new MatchDescription(Description) { MatchId = name };
        Hub.Announce(Description, this);
    }

    public ObservationFrame MakeFrame(ulong step, ResponseObservation? observation = null, uint perspective = 0)
    {
        observation ??= new ResponseObservation { Observation = new() { GameLoop = (uint)step } };
        var header = new FrameHeader(Description.MatchId, perspective, step, (uint)step, 1000 + (long)step, 2000 + (long)step);
        var frame = ObservationFrame.Copy(observation.ToByteArray(), header);
        Frames.Add(frame);
        return frame;
    }

    public Task PublishAsync(ulong step, ResponseObservation? observation = null) =>
        Hub.Publisher.PublishAsync(MakeFrame(step, observation), Ct).AsTask();

    public void AssertAllReleased() => Assert.All(Frames, AssertReleased);

    public static void AssertReleased(ObservationFrame frame) => Assert.Throws<ObjectDisposedException>(frame.Retain);

    public Task<Response> RequestAsync(uint perspective, Request request, CancellationToken ct)
    {
        Asked.Add((perspective, request));
        return Task.FromResult(new Response { Query = new ResponseQuery() });
    }

    public void Dispose() => Hub.Dispose();
}

public static class Reading
{
    public static Task<Delivery> Read(this Subscription subscription) => subscription.ReadAsync(Ct).AsTask();

    /// <summary>Reads a frame that is already there, and releases it.</summary>
    public static V1.Frame ReadFrame(this Subscription subscription)
    {
        var read = subscription.Read();
        Assert.True(read.IsCompleted);
        var delivery = read.Result;
        Assert.NotNull(delivery.Frame);
        var parsed = delivery.Parsed();
        delivery.Release();
        return parsed;
    }

    /// <summary>The frame with its subscriber's own fields, as a transport would send it.</summary>
    public static V1.Frame Parsed(this Delivery delivery)
    {
        var parsed = V1.PlayResponse.Parser.ParseFrom(delivery.Frame!.EventMessage.Span).Frame;
        parsed.MergeFrom(delivery.OwnFields.ToArray());
        return parsed;
    }

    /// <summary>The events that the hub has reported so far, after its listeners have received all of them.</summary>
    public static T Of<T>(this T heard, Hub hub)
        where T : System.Collections.IEnumerable
    {
        Assert.True(hub.Events.FlushAsync().Wait(TimeSpan.FromMinutes(1)));
        return heard;
    }

    public static V1.PlayResponse ReadEvent(this Subscription subscription, bool isLast)
    {
        var read = subscription.Read();
        Assert.True(read.IsCompleted);
        Assert.NotNull(read.Result.Event);
        Assert.Equal(isLast, read.Result.IsLast);
        return read.Result.Event;
    }

    public static void Acknowledge(this Subscription subscription, ulong step) =>
        subscription.Acknowledge(new Acknowledgement { Step = step });
}
