using Google.Protobuf;

namespace Sc2Bridge.Streaming.Tests;

/// <summary>A match without a game. Agents play one of its sides.</summary>
internal sealed class PlayedMatch : IGameRequests, IDisposable
{
    public const string Name = "played";
    public const uint Side = 2;

    public PlayedMatch(bool realtime = false, bool announce = true, HubOptions? options = null)
    {
        Hub = new Hub(options ?? new HubOptions { LockstepDeadline = Timeout.InfiniteTimeSpan });
        Description = new MatchDescription
        {
            MatchId = Name,
            Realtime = realtime,
            Perspectives = { Side, 0, 1 },
            Players = { new Player { PlayerId = 1, Kind = PlayerKind.Computer }, new Player { PlayerId = Side, Kind = PlayerKind.Agent } },
        };
        if (announce)
        {
            Hub.Announce(Description, this);
        }
    }

    public Hub Hub { get; }

    public MatchDescription Description { get; }

    /// <summary>The actions that went to the game.</summary>
    public List<(uint Perspective, RequestAction Actions)> Acted { get; } = [];

    /// <summary>The game's answer. Null: success for each action.</summary>
    public Task<Response>? Answer { get; init; }

    public Subscription Join(Policy policy = Policy.Lockstep, string agent = "", uint priority = 0) => Hub.Subscribe(
        new V1.SubscribeRequest { Policy = policy, Agent = agent, CanAct = true, Priority = priority },
        new SubscriberInfo("test", DeliverInline: false));

    public Subscription Subscribe(Policy policy) =>
        Hub.Subscribe(new V1.SubscribeRequest { Policy = policy }, new SubscriberInfo("test", DeliverInline: false));

    /// <summary>Ends the match and starts another one.</summary>
    public void Follow(string name)
    {
        Hub.End(new MatchEnd { NextFollows = true });
        Hub.Announce(new MatchDescription(Description) { MatchId = name }, this);
    }

    public Task PublishAsync(ulong step, string match = Name)
    {
        var frame = ObservationFrame.Copy(
            new ResponseObservation { Observation = new() { GameLoop = (uint)step } }.ToByteArray(),
            new FrameHeader(match, Side, step, (uint)step, 1000 + (long)step, 2000 + (long)step));
        return Hub.Publisher.PublishAsync(frame, Ct).AsTask();
    }

    public Task<Response> RequestAsync(uint perspective, Request request, CancellationToken ct)
    {
        Acted.Add((perspective, request.Action));
        var success = new ResponseAction();
        success.Result.AddRange(request.Action.Actions.Select(_ => ActionResult.Success));
        return Answer ?? Task.FromResult(new Response { Action = success });
    }

    public void Dispose() => Hub.Dispose();
}
