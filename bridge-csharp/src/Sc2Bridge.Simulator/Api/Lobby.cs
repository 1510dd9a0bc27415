using SC2APIProtocol;
using Sc2Bridge.GameApi;
using Sc2Bridge.Simulator.Commands;
using Sc2Bridge.Simulator.Maps;
using Sc2Bridge.Simulator.Multiplayer;
using Sc2Bridge.Simulator.Observing;
using JoinError = SC2APIProtocol.ResponseJoinGame.Types.Error;

namespace Sc2Bridge.Simulator.Api;

/// <summary>Creates games, lets clients join, restarts games and ends them.</summary>
internal sealed class Lobby(SimulatorOptions options)
{
    private PeerLink? _joining;
    private Func<GameSetup>? _createSetup;
    private LocalMap? _givenMap;
    private GameMap? _map;

    /// <summary>The game that was created, until clients have joined.</summary>
    public GameDraft? Draft { get; private set; }

    /// <summary>The match that is played or watched.</summary>
    public Session? Session { get; private set; }

    /// <summary>This end of a game of two processes, while it is joined or played.</summary>
    public PeerLink? Link => _joining ?? Session?.Link;

    /// <summary>Why the requested interfaces are not supported, or null.</summary>
    public static string? UnsupportedInterface(InterfaceOptions options) =>
        options.Render is not null
            ? "The simulated game does not render pictures: leave render out, or use feature_layer."
            : options.FeatureLayer is { } setup ? PixelGrid.Wrong(setup) : null;

    /// <summary>Creates a game.</summary>
    public Response Create(RequestCreateGame request)
    {
        var response = new Response { CreateGame = new ResponseCreateGame() };
        if (GameDraft.Read(request, out var draft, ReadMap) is { } wrong)
        {
            response.CreateGame.Error = wrong.Error;
            response.CreateGame.ErrorDetails = wrong.Details;
            return response;
        }

        (Draft, Session) = (draft, null);
        return response;
    }

    /// <summary>Joins a game. The function returns null until the other client has joined.</summary>
    public Func<Response?> Join(RequestJoinGame request)
    {
        if (JoinRules.Check(request, Draft?.Seats, UnsupportedInterface) is { } wrong)
        {
            var refused = Refused(wrong.Error, wrong.Details);
            return () => refused;
        }

        var observer = request.ParticipationCase == RequestJoinGame.ParticipationOneofCase.ObservedPlayerId;
        if (Draft is { Participants.Length: < 2 } draft)
        {
            var asked = request.Clone();
            _createSetup = () => draft.Complete(observer ? [] : [asked], options);
            var setup = _createSetup();
            var viewer = observer ? (int)request.ObservedPlayerId : draft.Participants[0];
            var participation = new Participation(viewer, observer, asked.Options) { Realtime = setup.Realtime };
            var response = Begin(setup, participation);
            return () => response;
        }

        if (!PeerLink.MayUse(request.HostIp, options.AllowedHostIps))
        {
            var refused = Refused(
                JoinError.NetworkError,
                $"host_ip {request.HostIp} is not allowed: leave it out, or start the game with -allowHostIp "
                + $"{request.HostIp}.");
            return () => refused;
        }

        var link = new PeerLink(request.Clone(), Draft, options);
        _joining = link;
        return () => link.Failure is { } failure ? EndJoin(Refused(JoinError.NetworkError, failure))
            : link.Playing ? Begin(link.Setup!, new Participation(link.Player, false, request.Options.Clone())
            {
                Realtime = link.Setup!.Realtime,
                Link = link,
            })
            : null;
    }

    /// <summary>Restarts the match.</summary>
    public Response Restart()
    {
        var (setup, before) = (_createSetup!(), Session!);
        Session = new Session(
            new Match(setup, new Journal()),
            new Participation(before.Viewer, before.Observer, before.Options) { Realtime = setup.Realtime },
            options);
        return new Response { RestartGame = new ResponseRestartGame() };
    }

    /// <summary>Starts to watch a replay.</summary>
    public void Watch(ReplayFile replay, Participation participation)
    {
        Draft = null;
        Session = new Session(new Match(replay.Setup, new Journal(replay.Journal)), participation, options);
    }

    /// <summary>Leaves the match. If another client plays on, this player is defeated.</summary>
    public Response Leave()
    {
        if (Session is { Link: not null, Match.World.Ended: false } session)
        {
            session.Do(null);
        }

        (Draft, Session, _joining) = (null, null, null);
        return new Response { LeaveGame = new ResponseLeaveGame() };
    }

    /// <summary>Abandons a join or step that waits, because its client has disconnected.</summary>
    public void Abandon()
    {
        _joining = null;
        Session?.Abandon();
    }

    // Learners play the same scenario again and again, and reading it takes longer than some of its matches.
    private GameMap? ReadMap(LocalMap? given)
    {
        if (given is null || !given.Equals(_givenMap))
        {
            _map = Scenario.MapOf(given);
            _givenMap = given?.Clone();
        }

        return _map;
    }

    private Response Begin(GameSetup setup, Participation participation)
    {
        (Draft, _joining) = (null, null);
        Session = new Session(new Match(setup, new Journal()), participation, options);
        return new Response { JoinGame = new ResponseJoinGame { PlayerId = (uint)participation.Viewer } };
    }

    private Response EndJoin(Response response)
    {
        _joining = null;
        return response;
    }

    private static Response Refused(JoinError error, string details) => new()
    {
        JoinGame = new ResponseJoinGame { Error = error, ErrorDetails = details },
    };
}
