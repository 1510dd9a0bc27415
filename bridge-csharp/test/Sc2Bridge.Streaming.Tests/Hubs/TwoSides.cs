namespace Sc2Bridge.Streaming.Tests;

/// <summary>Two sides that agents play. Their games have different information about the match.</summary>
internal sealed class TwoSides : IGameRequests, IDisposable
{
    public const string Name = "two sides";

    private readonly PlayerKind _firstKind;

    public TwoSides(PlayerKind firstKind = PlayerKind.Agent, bool apart = false, bool announce = true)
    {
        _firstKind = firstKind;
        Hub = new Hub(new HubOptions { LockstepDeadline = Timeout.InfiniteTimeSpan, SidesApart = apart });
        if (announce)
        {
            Announce(Name);
        }
    }

    public Hub Hub { get; }

    public List<(uint Perspective, string Said)> Asked { get; } = [];

    public void Announce(string name) => Hub.Announce(
        new MatchDescription
        {
            MatchId = name,
            Perspectives = { 1, 2 },
            Players =
            {
                new Player { PlayerId = 1, Kind = _firstKind },
                new Player { PlayerId = 2, Kind = PlayerKind.Agent },
            },
            GameInfo = new ResponseGameInfo { MapName = "one" },
        },
        this,
        playback: null,
        new Dictionary<uint, ResponseGameInfo>
        {
            [1] = new() { MapName = "one" },
            [2] = new() { MapName = "two" },
        });

    public Subscription Join(uint perspective) => Hub.Subscribe(
        new V1.SubscribeRequest { Policy = Policy.Lockstep, CanAct = true, Perspective = perspective },
        new SubscriberInfo("test", DeliverInline: false));

    public Task Publish(uint perspective, ulong step, string match = Name)
    {
        var header = new FrameHeader(match, perspective, step, (uint)step, 0, (perspective * 1000) + (long)step);
        return Hub.Publisher.PublishAsync(ObservationFrame.Copy([], header), Ct).AsTask();
    }

    public Task<Response> RequestAsync(uint perspective, Request request, CancellationToken ct)
    {
        if (request.Action is null)
        {
            Asked.Add((perspective, $"{request.RequestCase}"));
            return Task.FromResult(new Response { Query = new() });
        }

        Asked.Add((perspective, request.Action.Actions.Single().ActionChat.Message));
        return Task.FromResult(new Response { Action = new() { Result = { ActionResult.Success } } });
    }

    public void Dispose() => Hub.Dispose();
}

internal static class Taking
{
    /// <summary>Reads a frame that is already there, and releases it.</summary>
    public static (uint Perspective, ulong Step) Take(this Subscription subscription)
    {
        var read = subscription.Read();
        Assert.True(read.IsCompleted);
        var delivery = read.Result;
        var header = delivery.Frame!.Header;
        delivery.Release();
        return (header.Perspective, header.Step);
    }
}
