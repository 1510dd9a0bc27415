using Google.Protobuf;
using SC2APIProtocol;
using Sc2Bridge.GameApi;
using Sc2Bridge.Simulator.Commands;
using Sc2Bridge.Simulator.Multiplayer;
using Sc2Bridge.Simulator.Observing;
using Sc2Bridge.Simulator.World;

namespace Sc2Bridge.Simulator.Api;

/// <summary>How a client takes part in a match.</summary>
/// <param name="Viewer">Its player, or whose eyes an observer has; 0 for all.</param>
/// <param name="Observer">Whether it only watches.</param>
/// <param name="Options">What its observations hold.</param>
internal sealed record Participation(int Viewer, bool Observer, InterfaceOptions Options)
{
    /// <summary>Whether it sees the whole map.</summary>
    public bool DisableFog { get; init; }

    /// <summary>Whether the clock moves the match.</summary>
    public bool Realtime { get; init; }

    /// <summary>The other process's end, in a game of two.</summary>
    public PeerLink? Link { get; init; }

    /// <summary>What is played back, in a replay.</summary>
    public ReplayFile? Replay { get; init; }

    /// <summary>Whether a replay can be saved again.</summary>
    public bool Recorded { get; init; }
}

/// <summary>A match as one client has it: how far it may go on, and what it has been told.</summary>
internal sealed class Session
{
    private readonly Participation _participation;
    private readonly SimulatorOptions _options;
    private ObserverCamera _camera;
    private ObservationWriter _observer;
    private LoopClock? _clock;
    private int _granted;
    private bool _warned;
    private (SavedMatch Match, ObserverCamera Camera)? _saved;

    /// <summary>A match that begins.</summary>
    /// <param name="match">The match.</param>
    /// <param name="participation">How the client takes part in it.</param>
    /// <param name="options">How this game runs.</param>
    public Session(Match match, Participation participation, SimulatorOptions options)
    {
        (Match, _participation, _options) = (match, participation, options);
        _camera = new ObserverCamera(participation.Viewer);
        _observer = new ObservationWriter(match.World);
        _clock = participation.Realtime ? new LoopClock(options.Clock, 0) : null;
        Ending = new MatchEnding(options.EndQuirks);
        Window = new MapWindow(match.World.Map, participation.Options.RawCropToPlayableArea);
        var setup = participation.Options.FeatureLayer;
        Pixels = new PixelRequests(setup, new MapWindow(match.World.Map, setup?.CropToPlayableArea == true));
    }

    /// <summary>The match.</summary>
    public Match Match { get; private set; }

    /// <summary>What the client has been told of the end.</summary>
    public MatchEnding Ending { get; private set; }

    /// <summary>The part of the map that the client's coordinates are about.</summary>
    public MapWindow Window { get; }

    /// <summary>What the client's pixels mean.</summary>
    public PixelRequests Pixels { get; }

    /// <summary>Whether the client is about to select something else before the next loop.</summary>
    public bool Reselects
    {
        get
        {
            // The other process's may be of later loops already.
            var entries = Match.Journal.Entries;
            for (var at = entries.Count - 1; at >= 0 && entries[at].Loop >= _granted; at--)
            {
                if (entries[at].Loop == _granted && entries[at].Player == Player
                    && entries[at].What is SC2APIProtocol.Action done && PlayerActions.Selects(done))
                {
                    return true;
                }
            }

            return false;
        }
    }

    /// <summary>The interfaces that were asked for.</summary>
    public InterfaceOptions Options => _participation.Options;

    /// <summary>The client's player; 0 for an observer.</summary>
    public int Player => _participation.Observer ? 0 : _participation.Viewer;

    /// <summary>Whose eyes the client has; 0 for all.</summary>
    public int Viewer => _participation.Observer ? _camera.Viewer : _participation.Viewer;

    /// <summary>Whether the client only watches.</summary>
    public bool Observer => _participation.Observer;

    /// <summary>Whether the clock moves it.</summary>
    public bool Realtime => _participation.Realtime;

    /// <summary>What is played back, in a replay.</summary>
    public ReplayFile? Replay => _participation.Replay;

    /// <summary>The other process's end, in a game of two.</summary>
    public PeerLink? Link => _participation.Link;

    /// <summary>
    /// Whether this client may change the world by debug commands: in a game of two it must have created it.
    /// </summary>
    public bool MayDebug => Link?.Hosts ?? true;

    /// <summary>Where the game is.</summary>
    public Status Status => Match.World.Ended && !Ending.StatusHeld ? Status.Ended
        : Replay is null ? Status.InGame : Status.InReplay;

    /// <summary>What the rules for requests ask of it.</summary>
    public ClientState ClientState => new(
        Status, Realtime, Observer, Link is not null, Replay is not null, _participation.Recorded);

    /// <summary>The farthest loop that the client has asked for so far.</summary>
    public int Granted => _granted;

    /// <summary>Whether a loop has been played, or never will be.</summary>
    public bool Reached(long loop) => Match.World.Loop >= loop || Match.World.Ended;

    /// <summary>How long until a loop is due; null where it is not the clock that moves the match.</summary>
    public TimeSpan? Until(long loop) => _clock?.Until(loop);

    /// <summary>
    /// Asks for more loops; <see cref="Advance"/> plays them once the other client has asked for them too.
    /// </summary>
    public void Grant(long loops)
    {
        var to = (int)Math.Min(_granted + loops, GameWorld.LastLoop);
        if (to > _granted)
        {
            _granted = to;
            Link?.Grant(to);
        }
    }

    /// <summary>Takes back the loops that were asked for and not played: their client has gone.</summary>
    /// <remarks>Another process counts on what it was told: it may play them on.</remarks>
    public void Abandon() => _granted = Link is null ? Match.World.Loop : _granted;

    /// <summary>Plays as far as everyone has asked.</summary>
    /// <param name="left">The client has gone: it plays no further.</param>
    public void Advance(CancellationToken left = default)
    {
        if (_clock is { } clock && !Match.World.Ended)
        {
            Grant(clock.Due - _granted);
        }

        foreach (var entry in Link?.TakeEntries() ?? [])
        {
            Match.Journal.Add(entry);
        }

        var to = Math.Min(_granted, Math.Min(Link?.Granted ?? int.MaxValue, Replay?.Loops ?? int.MaxValue));
        while (Match.World.Loop < to && !Match.World.Ended && !left.IsCancellationRequested)
        {
            Match.Step();
            Link?.Compare(Match.World);
        }

        if (Link?.Apart is not null)
        {
            Match.World.EndInTie();
        }

        if (Replay is { } replay && Match.World.Loop >= replay.Loops && !Match.World.Ended
            && (!Match.HasMore || _granted > replay.Loops))
        {
            // A player may have left the match here, or the replay been saved while it went on.
            Match.CarryOut();
            Match.World.EndWith(p => p.Result ?? replay.Outcome.ElementAtOrDefault(p.Id - 1).Result);
        }
    }

    /// <summary>What has gone wrong with the match itself, told once; null where nothing has.</summary>
    public string? TakeWarning()
    {
        var warning = _warned ? null : Link?.Apart;
        _warned |= warning is not null;
        return warning;
    }

    /// <summary>Puts something that the client does into the journal: it is carried out before the next loop.</summary>
    /// <param name="what">An action, a debug command (an observer's are the first player's), or null: it
    /// leaves.</param>
    public void Do(IMessage? what)
    {
        var entry = new JournalEntry(_granted, Math.Max(Player, 1), what);
        Match.Journal.Add(entry);
        Link?.Tell(entry);
    }

    /// <summary>Moves an observer's camera.</summary>
    public void Look(ObserverAction action) => _camera.Do(Match.World, action);

    /// <summary>The observation; takes what happened since the last one.</summary>
    public ReadOnlySpan<byte> Observe(bool disableFog)
    {
        var world = Match.World;
        if (world.Ended && Ending.IsStub)
        {
            return Stub(world);
        }

        var player = Viewer == 0 ? null : world.PlayerOf(Viewer);
        _observer.Camera = Observer ? _camera.In(world) : player?.Camera;
        _observer.HoldResults = world.Ended && !Ending.TellResults();
        var seesAll = disableFog || _participation.DisableFog || Match.Setup.DisableFog
            || player?.Cheats.Contains(DebugGameState.ShowMap) == true;
        var observation = _observer.Write(Viewer, Options, seesAll);
        for (var other = 0; other <= world.Players.Length; other++)
        {
            // This process notifies no other client.
            world.EventsOf(other).Clear();
        }

        return observation;
    }

    /// <summary>Keeps the match as it is.</summary>
    public void QuickSave() => _saved = (new SavedMatch(Match), _camera.Copy());

    /// <summary>Goes back to what was kept.</summary>
    /// <param name="left">The client has gone: all stays as it is.</param>
    /// <exception cref="RefusedException">Nothing was.</exception>
    /// <exception cref="OperationCanceledException">The client has gone.</exception>
    public void QuickLoad(CancellationToken left)
    {
        var (match, camera) = _saved ?? throw new RefusedException("Nothing was saved: quick_save first");
        Match = match.Restore(left);
        _camera = camera.Copy();
        _granted = Match.World.Loop;
        _observer = new ObservationWriter(Match.World);
        _clock = Realtime ? new LoopClock(_options.Clock, _granted) : null;
        Ending = new MatchEnding(_options.EndQuirks);
    }

    // What the game can answer last: no state of the match.
    private static byte[] Stub(GameWorld world)
    {
        var stub = new ResponseObservation { Observation = new Observation { GameLoop = uint.MaxValue } };
        stub.PlayerResult.AddRange(world.Seated.Select(p =>
            new PlayerResult { PlayerId = (uint)p.Id, Result = p.Result ?? Result.Undecided }));
        return stub.ToByteArray();
    }
}
