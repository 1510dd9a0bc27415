using SC2APIProtocol;
using Sc2Bridge.Protocol;
using Sc2Bridge.Simulator;
using Sc2Bridge.Simulator.Api;
using Sc2Bridge.Streaming;
using Sc2Bridge.V1;

namespace Sc2Bridge.Bench;

/// <summary>
/// The default simulated match (two Elite computers, Terran against Zerg), played in this process one game loop a step, as
/// an observer sees it.
/// </summary>
internal sealed class SimulatedMatch
{
    public const string Map = "Cinder Fortress LE";

    /// <summary>Steps of the whole match, as many as the published figures are of.</summary>
    public const int Length = 16_860;

    /// <summary>The loop from which on observations are late ones: nearest to 160 KiB.</summary>
    public const int LateLoop = 14_500;

    // A request that plays many steps at once is not interrupted.
    private const int MostAtOnce = 200;

    private static readonly Request _observe = new() { Observation = new RequestObservation() };

    /// <summary>A match that begins.</summary>
    /// <param name="seed">Its seed.</param>
    /// <param name="options">What observations hold; null for raw data and the score.</param>
    /// <param name="viewer">Whose eyes the observer has; 0 for all.</param>
    public SimulatedMatch(uint seed = SimulatorDefaults.Seed, InterfaceOptions? options = null, uint viewer = 0)
    {
        var create = new RequestCreateGame
        {
            LocalMap = new LocalMap { MapPath = Map },
            RandomSeed = seed,
            PlayerSetup = { Elite(Race.Terran), Elite(Race.Zerg), new PlayerSetup { Type = PlayerType.Observer } },
        };
        var join = new RequestJoinGame
        {
            ObservedPlayerId = viewer,
            Options = options ?? new InterfaceOptions { Raw = true, Score = true },
        };
        foreach (var request in (Request[])[new() { CreateGame = create }, new() { JoinGame = join }])
        {
            var answer = Game.Handle(request);
            if (answer.Error.Count > 0 || answer.CreateGame?.HasError == true || answer.JoinGame?.HasError == true)
            {
                throw new CommandException($"the simulated game refused {request.RequestCase}: {answer}");
            }
        }
    }

    public SimulatedGame Game { get; } = new(new SimulatorOptions());

    public int Loop { get; private set; }

    public void Play(int loop, CancellationToken ct)
    {
        while (Loop < loop)
        {
            ct.ThrowIfCancellationRequested();
            var now = Math.Min(loop - Loop, MostAtOnce);
            if (Game.Handle(new Request { Step = new RequestStep { Count = (uint)now } }).Status == Status.Ended)
            {
                throw new CommandException($"the simulated match ended before game loop {loop}");
            }

            Loop += now;
        }
    }

    /// <summary>The serialized <c>ResponseObservation</c> of now.</summary>
    public byte[] Observe()
    {
        var (buffer, body) = Answer();
        var observation = buffer.Written.Span.Slice(body.BodyStart, body.BodyLength).ToArray();
        buffer.Release();
        return observation;
    }

    /// <summary>Has the observation of now made, and lets go of it.</summary>
    /// <returns>The bytes of the response.</returns>
    public int Glance()
    {
        var buffer = Answer().Buffer;
        var length = buffer.Length;
        buffer.Release();
        return length;
    }

    /// <summary>The same as a frame, in a pooled buffer.</summary>
    public ObservationFrame ObserveFrame(string matchId, ulong step)
    {
        var requested = MonotonicClock.NowNs;
        var (buffer, body) = Answer();
        var header = new FrameHeader(matchId, 0, step, (uint)Loop, requested, MonotonicClock.NowNs);
        return ObservationFrame.Create(buffer, body.BodyStart, body.BodyLength, header);
    }

    /// <summary>The match's description for subscribers.</summary>
    public MatchDescription Describe(string matchId) => new()
    {
        MatchId = matchId,
        MapName = Map,
        Perspectives = { 0 },
        StepSize = 1,
        Simulated = true,
        Seed = SimulatorDefaults.Seed,
        GameInfo = Game.Handle(new Request { GameInfo = new() }).GameInfo,
        Data = Game.Handle(new Request { Data = new() { UnitTypeId = true, AbilityId = true } }).Data,
    };

    private static PlayerSetup Elite(Race race) =>
        new() { Type = PlayerType.Computer, Race = race, Difficulty = Difficulty.VeryHard };

    private (MessageBuffer Buffer, ResponseSlice Body) Answer()
    {
        var buffer = MessageBuffer.Rent(1 << 18);
        Game.Handle(_observe, buffer);
        return (buffer, ResponseSlicer.Slice(buffer.Written.Span));
    }
}
