using SC2APIProtocol;
using Sc2Bridge.GameApi;
using Sc2Bridge.Simulator.Commands;
using Sc2Bridge.Simulator.Multiplayer;
using Sc2Bridge.Simulator.Observing;
using JoinError = SC2APIProtocol.ResponseJoinGame.Types.Error;

namespace Sc2Bridge.Simulator.Api;

/// <summary>Brings games about: creates them, lets clients join, begins them again, and ends them.</summary>
internal sealed class Lobby(SimulatorOptions options)
{
    private PeerLink? _joining;
    private Func<GameSetup>? _again;

    /// <summary>The game that was created and not joined yet.</summary>
    public GameDraft? Draft { get; private set; }

    /// <summary>The match that is played or watched.</summary>
    public Session? Session { get; private set; }

    /// <summary>The end of a game of two processes, that is joined or played.</summary>
    public PeerLink? Link => _joining ?? Session?.Link;

    /// <summary>Why a choice of interfaces cannot be answered, or null.</summary>
    public static string? UnsupportedInterface(InterfaceOptions options) =>
        options.Render is not null
            ? "The simulated game draws no pictures: leave render out; feature_layer has images of numbers."
            : options.FeatureLayer is { } setup ? PixelGrid.Wrong(setup) : null;

    /// <summary>Creates a game.</summary>
    public Response Create(RequestCreateGame request)
    {
        var response = new Response { CreateGame = new ResponseCreateGame() };
        if (GameDraft.Read(request, out var draft) is { } wrong)
        {
            response.CreateGame.Error = wrong.Error;
            response.CreateGame.ErrorDetails = wrong.Details;
            return response;
        }

        (Draft, Session) = (draft, null);
        return response;
    }

    /// <summary>Joins a game; the answer may have to wait for the other client.</summary>
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
            _again = () => draft.Complete(observer ? [] : [asked], options);
            var setup = _again();
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
        return () => link.Failure is { } failure ? Give(Refused(JoinError.NetworkError, failure))
            : link.Playing ? Begin(link.Setup!, new Participation(link.Player, false, request.Options.Clone())
            {
                Realtime = link.Setup!.Realtime,
                Link = link,
            })
            : null;
    }

    /// <summary>Begins the match again.</summary>
    public Response Restart()
    {
        var (setup, before) = (_again!(), Session!);
        Session = new Session(
            new Match(setup, new Journal()),
            new Participation(before.Viewer, before.Observer, before.Options) { Realtime = setup.Realtime },
            options);
        return new Response { RestartGame = new ResponseRestartGame() };
    }

    /// <summary>Watches a replay.</summary>
    public void Watch(ReplayFile replay, Participation participation)
    {
        Draft = null;
        Session = new Session(new Match(replay.Setup, new Journal(replay.Journal)), participation, options);
    }

    /// <summary>Leaves the match, which gives it up where another client plays on.</summary>
    public Response Leave()
    {
        if (Session is { Link: not null, Match.World.Ended: false } session)
        {
            session.Do(null);
        }

        (Draft, Session, _joining) = (null, null, null);
        return new Response { LeaveGame = new ResponseLeaveGame() };
    }

    /// <summary>Gives up a join or a step that waits: its client has gone.</summary>
    public void Abandon()
    {
        _joining = null;
        Session?.Abandon();
    }

    private Response Begin(GameSetup setup, Participation participation)
    {
        (Draft, _joining) = (null, null);
        Session = new Session(new Match(setup, new Journal()), participation, options);
        return new Response { JoinGame = new ResponseJoinGame { PlayerId = (uint)participation.Viewer } };
    }

    private Response Give(Response response)
    {
        _joining = null;
        return response;
    }

    private static Response Refused(JoinError error, string details) => new()
    {
        JoinGame = new ResponseJoinGame { Error = error, ErrorDetails = details },
    };
}
