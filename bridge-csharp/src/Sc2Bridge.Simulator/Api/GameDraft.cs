using SC2APIProtocol;
using Sc2Bridge.GameApi;
using Sc2Bridge.Simulator.Commands;
using Sc2Bridge.Simulator.Maps;
using CreateError = SC2APIProtocol.ResponseCreateGame.Types.Error;

namespace Sc2Bridge.Simulator.Api;

/// <summary>A game that was created and waits for clients to join.</summary>
internal sealed class GameDraft
{
    private readonly RequestCreateGame _request;
    private readonly PlayerSetup[] _seats;

    private GameDraft(RequestCreateGame request, GameMap map, PlayerSetup[] seats) =>
        (_request, Map, _seats) = (request, map, seats);

    /// <summary>The map.</summary>
    public GameMap Map { get; }

    /// <summary>The ids of the players that API clients play.</summary>
    public int[] Participants =>
        [.. Enumerable.Range(1, _seats.Length).Where(id => _seats[id - 1].Type == PlayerType.Participant)];

    /// <summary>The seats that clients can join.</summary>
    public GameSeats Seats => new(Participants.Length, _seats.Length);

    /// <summary>Reads a request to create a game.</summary>
    /// <param name="request">A client's request.</param>
    /// <param name="draft">The game; null after an error.</param>
    /// <param name="readMap">Reads a scenario; null for <see cref="Scenario.MapOf"/>.</param>
    /// <returns>The error and its remedy, or null.</returns>
    public static (CreateError Error, string Details)? Read(
        RequestCreateGame request, out GameDraft? draft, Func<LocalMap?, GameMap?>? readMap = null)
    {
        draft = null;
        GameMap? given;
        try
        {
            given = (readMap ?? Scenario.MapOf)(request.LocalMap);
        }
        catch (FormatException wrong)
        {
            return (CreateError.InvalidMapData, $"{request.LocalMap.MapPath}: {wrong.Message}");
        }

        bool IsKnown(string name) => (given ?? GameMap.Find(name)) is not null;
        if (CreateRules.Check(request, IsKnown, SimulatedMaps.Known) is { } refused)
        {
            return refused;
        }

        var map = given ?? GameMap.Find(CreateRules.MapOf(request))!;

        // The game silently drops players beyond the number of start locations.
        var seats = request.PlayerSetup.Where(p => p.Type != PlayerType.Observer).Take(map.Starts.Length).ToArray();
        if (seats.Count(p => p.Type == PlayerType.Participant) > 2)
        {
            return (CreateError.InvalidPlayerSetup, "At most two API clients can play one game.");
        }

        if (map.Scenario is { } scenario && seats.Length != scenario.Players.Count)
        {
            return (CreateError.InvalidPlayerSetup, $"{map.Name} is for {scenario.Players.Count} players.");
        }

        draft = new GameDraft(request.Clone(), map, seats);
        return null;
    }

    /// <summary>The game's setup, after the clients have joined.</summary>
    /// <param name="joined">Each client's request to join, in the order of <see cref="Participants"/>; empty for games without
    /// participants.</param>
    /// <param name="options">The options of this game.</param>
    public GameSetup Complete(IReadOnlyList<RequestJoinGame> joined, SimulatorOptions options)
    {
        var players = _seats.Select(GameSetup.Spec).ToArray();
        for (var i = 0; i < joined.Count; i++)
        {
            // A participant's race and name in player_setup are ignored. The request to join has them.
            var seat = new PlayerSetup { Type = PlayerType.Participant, Race = joined[i].Race };
            players[Participants[i] - 1] = GameSetup.Spec(seat) with { Name = joined[i].PlayerName };
        }

        return new GameSetup(Map, _request.HasRandomSeed ? _request.RandomSeed : options.ChooseSeed(), players)
        {
            DisableFog = _request.DisableFog || Map.Scenario?.Reveal == true,
            Realtime = _request.Realtime,
            LongestMatch = Math.Min(options.LongestMatch, Map.Scenario?.Limit ?? int.MaxValue),
        };
    }
}
