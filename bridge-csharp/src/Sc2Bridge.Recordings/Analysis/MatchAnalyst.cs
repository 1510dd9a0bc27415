using System.Globalization;
using SC2APIProtocol;
using Sc2Bridge.Protocol;
using Sc2Bridge.V1;

namespace Sc2Bridge.Recordings.Analysis;

/// <summary>
/// Analyses a match from its recorded observations. The result is the same during the match and afterwards. The rules are in
/// docs/reference/analysis.md. Memory, and the work for one observation, are limited for any match. Not thread-safe.
/// </summary>
internal sealed class MatchAnalyst
{
    /// <summary>The version of the rules. Increase it when a change affects the results.</summary>
    public const int Rules = 1;

    /// <summary>The interval in loops at which units and the players' states are read: 1 s. A shorter interval would cost over 2 % of a step.</summary>
    public const uint SampleLoops = 22;

    private const int Observer = 0;
    private const int Success = 1;
    private const string RefusedByBridge = "RefusedByBridge";

    // The limit of unit names, for malicious recordings. The game's names are shorter.
    private const int LongestName = 64;

    // The limit of losses, and of damaged units, in one observation, because each such unit is compared with all units. The largest battles have 300.
    private const int MostEvents = 1000;

    private readonly Dictionary<uint, (string Name, long Minerals, long Vespene, bool IsTownHall)> _unitTypes = [];
    private readonly bool _hasObserver;
    private readonly UnitMemory _units = new();
    private readonly FightFinder _fights;
    private readonly TownHalls _townHalls = new();
    private readonly SortedDictionary<uint, PlayerWatch> _players = [];

    // For each perspective: the last loop, and the last loop at which the units and the player's state were read.
    private readonly Dictionary<uint, (uint Last, uint Sampled)> _loops = [];
    private (uint First, uint Last)? _firstAndLastLoop;

    /// <param name="data">The game's names and costs.</param>
    /// <param name="description">The match.</param>
    public MatchAnalyst(ResponseData data, MatchDescription description)
    {
        foreach (var type in data.Units)
        {
            var name = type.Name.Length is > 0 and <= LongestName ? type.Name : NameOfUnknownType(type.UnitId);
            _unitTypes[type.UnitId] = (name, type.MineralCost, type.VespeneCost, TownHalls.IsTownHall(name));
        }

        _hasObserver = description.Perspectives.Contains(Observer);
        _fights = new FightFinder(CostOf, NameOf);
        foreach (var player in description.Players.Where(player => player.Kind != PlayerKind.Observer))
        {
            GetOrAddPlayer(player.PlayerId);
        }
    }

    /// <summary>Adds an observation. The observation is ignored if a later observation of the same perspective was already added.</summary>
    /// <param name="perspective">A player id, or 0 for an observer of all players.</param>
    /// <param name="bytes">The serialized <c>ResponseObservation</c>.</param>
    /// <exception cref="MalformedMessageException">The bytes are not an observation.</exception>
    /// <exception cref="Google.Protobuf.InvalidProtocolBufferException">The bytes are not an observation.</exception>
    public void Add(uint perspective, ReadOnlySpan<byte> bytes)
    {
        var facts = ObservationFacts.Read(bytes);
        var loop = facts.GameLoop;
        var isFirst = !_loops.TryGetValue(perspective, out var known);
        if (!facts.HasObservation || loop == uint.MaxValue || loop < known.Last)
        {
            return;
        }

        var isSample = isFirst || loop - known.Sampled >= SampleLoops;
        _loops[perspective] = (loop, isSample ? loop : known.Sampled);
        _firstAndLastLoop = (Math.Min(_firstAndLastLoop?.First ?? loop, loop), Math.Max(_firstAndLastLoop?.Last ?? loop, loop));
        var observation = LastContentOf(bytes, ResponseObservation.ObservationFieldNumber);
        if (perspective == Observer || !_hasObserver)
        {
            AddUnits(LastContentOf(observation, Observation.RawDataFieldNumber), loop, isSample);
        }

        if (GetOrAddPlayer(perspective) is { } player)
        {
            AddErrors(player, bytes);
            if (isSample)
            {
                AddState(player, loop, observation);
            }
        }
    }

    /// <summary>Adds an agent's actions with their outcomes.</summary>
    public void Add(ActionRecord record)
    {
        if (record.Outcome is not { } outcome || GetOrAddPlayer(record.Perspective) is not { } player)
        {
            return;
        }

        if (outcome.Error is not null)
        {
            player.CountErrors(RefusedByBridge, Math.Max(1, record.Actions.Count), 0);
        }

        foreach (var refused in outcome.Outcomes.Where(action => action.Result != Success))
        {
            player.CountErrors(refused.Result == 0 ? RefusedByBridge : ((ActionResult)refused.Result).ToString(), 1, 0);
        }
    }

    /// <summary>Returns the result. Nothing can be added afterwards.</summary>
    public MatchAnalysis Finish()
    {
        var (first, last) = _firstAndLastLoop ?? (0, 0);
        return new MatchAnalysis(
            Rules, first, last, _fights.Finish(),
            [.. _players.Select(player => player.Value.Finish(player.Key, last, _townHalls.Of(player.Key)))]);
    }

    // Returns the last occurrence of a field. The game writes each of these fields once.
    private static ReadOnlySpan<byte> LastContentOf(ReadOnlySpan<byte> message, int field)
    {
        ReadOnlySpan<byte> found = default;
        var reader = new WireReader(message);
        while (reader.Next())
        {
            if (reader.Field == field)
            {
                found = reader.Content;
            }
        }

        return found;
    }

    private static string NameOfUnknownType(uint type) => string.Create(CultureInfo.InvariantCulture, $"unit type {type}");

    private static void AddErrors(PlayerWatch player, ReadOnlySpan<byte> bytes)
    {
        var reader = new WireReader(bytes);
        while (reader.Next())
        {
            if (reader.Field == ResponseObservation.ActionErrorsFieldNumber)
            {
                player.CountErrors(ActionError.Parser.ParseFrom(reader.Content).Result.ToString(), 0, 1);
            }
        }
    }

    private static void AddState(PlayerWatch player, uint loop, ReadOnlySpan<byte> observation)
    {
        player.AddState(loop, PlayerCommon.Parser.ParseFrom(LastContentOf(observation, Observation.PlayerCommonFieldNumber)));
        var details = LastContentOf(LastContentOf(observation, Observation.ScoreFieldNumber), Score.ScoreDetailsFieldNumber);
        if (!details.IsEmpty)
        {
            player.SetIdleTimes(
                SeenUnit.Real(details, ScoreDetails.IdleProductionTimeFieldNumber),
                SeenUnit.Real(details, ScoreDetails.IdleWorkerTimeFieldNumber));
        }
    }

    private void AddUnits(ReadOnlySpan<byte> raw, uint loop, bool isSample)
    {
        AddDead(Event.Parser.ParseFrom(LastContentOf(raw, ObservationRaw.EventFieldNumber)).DeadUnits, loop);
        var damaged = new List<SeenUnit>();
        var reader = new WireReader(raw);
        while (isSample && reader.Next())
        {
            if (reader.Field == ObservationRaw.UnitsFieldNumber && SeenUnit.TryRead(reader.Content, out var unit))
            {
                if (_unitTypes.TryGetValue(unit.Type, out var type) && type.IsTownHall)
                {
                    _townHalls.Update(unit, type.Name, loop);
                }

                if (_units.Update(unit, loop) && damaged.Count < MostEvents)
                {
                    damaged.Add(unit);
                }
            }
        }

        foreach (var unit in damaged)
        {
            _fights.Add(loop, unit, isLoss: false, _units.PlayersNear(unit, loop));
        }
    }

    // Units that killed each other count as near each other, so all losses are added before the dead units are removed.
    private void AddDead(IEnumerable<ulong> tags, uint loop)
    {
        var dead = tags.Select(_units.Find).OfType<SeenUnit>().Distinct().Take(MostEvents).ToList();
        foreach (var unit in dead)
        {
            _townHalls.AddLoss(unit.Tag, loop);
            _fights.Add(loop, unit, isLoss: true, _units.PlayersNear(unit, loop));
        }

        foreach (var unit in dead)
        {
            _units.Remove(unit.Tag);
        }
    }

    // Returns null if the id is not the id of a player. A match has at most 15 players, which limits the dictionary.
    private PlayerWatch? GetOrAddPlayer(uint player)
    {
        if (!_players.TryGetValue(player, out var watch) && player is > Observer and <= SeenUnit.LastPlayer)
        {
            _players[player] = watch = new PlayerWatch();
        }

        return watch;
    }

    private string NameOf(uint type) => _unitTypes.TryGetValue(type, out var known) ? known.Name : NameOfUnknownType(type);

    private (long Minerals, long Vespene) CostOf(uint type) =>
        _unitTypes.TryGetValue(type, out var known) ? (known.Minerals, known.Vespene) : (0, 0);
}
