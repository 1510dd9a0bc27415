using Google.Protobuf;
using SC2APIProtocol;
using Sc2Bridge.GameApi;
using Sc2Bridge.Simulator.Commands;
using Sc2Bridge.Simulator.Multiplayer;
using Sc2Bridge.Simulator.Observing;
using Sc2Bridge.Simulator.World;

namespace Sc2Bridge.Simulator.Api;

/// <summary>How a client takes part in a match.</summary>
/// <param name="Viewer">Its player, or the player whose view an observer has; 0 for all players.</param>
/// <param name="Observer">Whether it only observes.</param>
/// <param name="Options">The interfaces in its observations.</param>
internal sealed record Participation(int Viewer, bool Observer, InterfaceOptions Options)
{
    /// <summary>Whether it sees the whole map.</summary>
    public bool DisableFog { get; init; }

    /// <summary>Whether the match runs in real time.</summary>
    public bool Realtime { get; init; }

    /// <summary>The link to the other process, in a game of two processes.</summary>
    public PeerLink? Link { get; init; }

    /// <summary>The replay that is played back, or null.</summary>
    public ReplayFile? Replay { get; init; }

    /// <summary>Whether the replay can be saved again.</summary>
    public bool Recorded { get; init; }
}

/// <summary>One client's view of a match: how far it may advance, and what was reported to the client.</summary>
internal sealed class Session
{
    private readonly Participation _participation;
    private readonly SimulatorOptions _options;
    private ObserverCamera _camera;
    private ObservationWriter _observer;
    private LoopClock? _clock;
    private int _granted;
    private bool _warned;
    private (Match Match, ObserverCamera Camera)? _saved;

    /// <summary>Begins a match.</summary>
    /// <param name="match">The match.</param>
    /// <param name="participation">How the client takes part in it.</param>
    /// <param name="options">The options of this game.</param>
    public Session(Match match, Participation participation, SimulatorOptions options)
    {
        (Match, _participation, _options) = (match, participation, options);
        match.World.KeepsActions = options.KeepsActions;
        _camera = new ObserverCamera(participation.Viewer);
        _observer = new ObservationWriter(match.World);
        _clock = participation.Realtime ? new LoopClock(options.Clock, 0) : null;
        Ending = new MatchEnding(options.EndQuirks);
        Window = new MapWindow(match.World.Map, participation.Options.RawCropToPlayableArea);
        var setup = participation.Options.FeatureLayer;
        Pixels = new PixelRequests(setup, new MapWindow(match.World.Map, setup?.CropToPlayableArea == true));
    }

    public Match Match { get; private set; }

    /// <summary>The parts of the match's end that were reported to the client.</summary>
    public MatchEnding Ending { get; private set; }

    /// <summary>The part of the map that the client's coordinates refer to.</summary>
    public MapWindow Window { get; }

    /// <summary>Converts the client's pixels.</summary>
    public PixelRequests Pixels { get; }

    /// <summary>Whether an action before the next loop changes the client's selection.</summary>
    public bool Reselects
    {
        get
        {
            // Entries of the other process may already be of later loops.
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

    /// <summary>The interfaces that the client asked for.</summary>
    public InterfaceOptions Options => _participation.Options;

    /// <summary>The client's player; 0 for an observer.</summary>
    public int Player => _participation.Observer ? 0 : _participation.Viewer;

    /// <summary>The player whose view the client has; 0 for all players.</summary>
    public int Viewer => _participation.Observer ? _camera.Viewer : _participation.Viewer;

    /// <summary>Whether the client only observes.</summary>
    public bool Observer => _participation.Observer;

    /// <summary>Whether the match runs in real time.</summary>
    public bool Realtime => _participation.Realtime;

    /// <summary>The replay that is played back, or null.</summary>
    public ReplayFile? Replay => _participation.Replay;

    /// <summary>The link to the other process, in a game of two processes.</summary>
    public PeerLink? Link => _participation.Link;

    /// <summary>Whether this client's debug commands may change the world. It must have created a game of two processes itself.</summary>
    public bool MayDebug => Link?.Hosts ?? true;

    /// <summary>The game's status.</summary>
    public Status Status => Match.World.Ended && !Ending.StatusIsLate ? Status.Ended
        : Replay is null ? Status.InGame : Status.InReplay;

    /// <summary>The state that the rules for requests need.</summary>
    public ClientState ClientState => new(
        Status, Realtime, Observer, Link is not null, Replay is not null, _participation.Recorded);

    /// <summary>The last loop that the client has asked for.</summary>
    public int Granted => _granted;

    /// <summary>Whether a loop has been played, or will never be played because the match has ended.</summary>
    public bool Reached(long loop) => Match.World.Loop >= loop || Match.World.Ended;

    /// <summary>The time until a loop is due; null if the match does not run in real time.</summary>
    public TimeSpan? Until(long loop) => _clock?.TimeUntil(loop);

    /// <summary>Asks for more loops. <see cref="Advance"/> plays them when the other client has asked for them too.</summary>
    public void Grant(long loops)
    {
        var to = (int)Math.Min(_granted + loops, GameWorld.LastLoop);
        if (to > _granted)
        {
            _granted = to;
            Link?.Grant(to);
        }
    }

    /// <summary>Cancels loops that were asked for and not played, because the client has disconnected.</summary>
    /// <remarks>In a game of two processes they stay, because the other process may play them.</remarks>
    public void Abandon() => _granted = Link is null ? Match.World.Loop : _granted;

    /// <summary>Plays up to the loop that all clients have asked for.</summary>
    /// <param name="left">Cancelled when the client disconnects. Then no further loop is played.</param>
    public void Advance(CancellationToken left = default)
    {
        if (_clock is { } clock && !Match.World.Ended)
        {
            Grant(clock.DueLoop - _granted);
        }

        foreach (var entry in Link?.DrainEntries() ?? [])
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
            // A player may have left the match here, or the replay may have been saved during the match.
            Match.CarryOut();
            Match.World.EndWith(p => p.Result ?? replay.Outcome.ElementAtOrDefault(p.Id - 1).Result);
        }
    }

    /// <summary>Returns an error of the match itself, but only once. Otherwise null.</summary>
    public string? TakeWarning()
    {
        var warning = _warned ? null : Link?.Apart;
        _warned |= warning is not null;
        return warning;
    }

    /// <summary>Adds a client's action to the journal. It is carried out before the next loop.</summary>
    /// <param name="what">An action, a debug command, or null if the client leaves. An observer's debug commands count as
    /// the first player's.</param>
    public void Do(IMessage? what)
    {
        var entry = new JournalEntry(_granted, Math.Max(Player, 1), what);
        Match.Journal.Add(entry);
        Link?.SendEntry(entry);
    }

    /// <summary>Moves an observer's camera.</summary>
    public void Look(ObserverAction action) => _camera.Do(Match.World, action);

    /// <summary>Returns the observation, and clears the events since the last one.</summary>
    public ReadOnlySpan<byte> Observe(bool disableFog)
    {
        var world = Match.World;
        if (world.Ended && Ending.IsStub)
        {
            return Stub(world);
        }

        _observer.Camera = Observer ? _camera.In(world) : PlayerOfView?.Camera;
        _observer.OmitResults = OmitsResults();
        var observation = _observer.Write(Viewer, Options, SeesAll(disableFog));
        ClearEvents();
        return observation;
    }

    /// <summary>Reads the player's observation without a message, and clears the events since the last one.</summary>
    public void Observe(ObservedState state)
    {
        state.Read(_observer.ViewOf(Viewer, Options), Options, SeesAll(disableFog: false), OmitsResults());
        ClearEvents();
    }

    /// <summary>Saves the match in its current state.</summary>
    public void QuickSave() => _saved = (Match.Copy(), _camera.Copy());

    /// <summary>Goes back to the saved match.</summary>
    /// <exception cref="RefusedException">No match was saved.</exception>
    public void QuickLoad()
    {
        var (match, camera) = _saved ?? throw new RefusedException("Nothing was saved: quick_save first");
        Match = match.Copy();
        _camera = camera.Copy();
        _granted = Match.World.Loop;
        _observer = new ObservationWriter(Match.World);
        _clock = Realtime ? new LoopClock(_options.Clock, _granted) : null;
        Ending = new MatchEnding(_options.EndQuirks);
    }

    private Player? PlayerOfView => Viewer == 0 ? null : Match.World.PlayerOf(Viewer);

    private bool OmitsResults() => Match.World.Ended && !Ending.NextHasResults();

    private bool SeesAll(bool disableFog) => disableFog || _participation.DisableFog || Match.Setup.DisableFog
        || PlayerOfView?.Cheats.Contains(DebugGameState.ShowMap) == true;

    private void ClearEvents()
    {
        for (var viewer = 0; viewer <= Match.World.Players.Length; viewer++)
        {
            // This process reports events to no other client.
            Match.World.EventsOf(viewer).Clear();
        }
    }

    // The last observations of the real game can be stubs without a state of the match.
    private static byte[] Stub(GameWorld world)
    {
        var stub = new ResponseObservation { Observation = new Observation { GameLoop = uint.MaxValue } };
        stub.PlayerResult.AddRange(world.Seated.Select(p =>
            new PlayerResult { PlayerId = (uint)p.Id, Result = p.Result ?? Result.Undecided }));
        return stub.ToByteArray();
    }
}
