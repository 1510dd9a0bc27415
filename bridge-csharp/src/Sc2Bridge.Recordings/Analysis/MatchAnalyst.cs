using System.Globalization;
using SC2APIProtocol;
using Sc2Bridge.Protocol;
using Sc2Bridge.V1;

namespace Sc2Bridge.Recordings.Analysis;

/// <summary>
/// Analyses a match from its recorded observations. The result is the same during the match and afterwards.
/// docs/reference/analysis.md has the rules. Memory, and the work for an observation, are bounded for any match.
/// Not thread-safe.
/// </summary>
internal sealed class MatchAnalyst
{
    /// <summary>The version of the rules: a change of what is found needs a new one.</summary>
    public const int Rules = 1;

    /// <summary>Units, and what the player has, are read every so many loops: 1 s. More often costs more than 2 % of a step.</summary>
    public const uint SampleLoops = 22;

    private const int Observer = 0;
    private const int Success = 1;
    private const string RefusedByBridge = "RefusedByBridge";

    // The names in the game are shorter: it bounds the names of a hostile recording.
    private const int LongestName = 64;

    // Each is compared with all units. The largest battles have 300 in a sample.
    private const int MostEvents = 1000;

    private readonly Dictionary<uint, (string Name, long Minerals, long Vespene, bool IsTownHall)> _types = [];
    private readonly bool _hasObserver;
    private readonly UnitMemory _units = new();
    private readonly FightFinder _fights;
    private readonly TownHalls _halls = new();
    private readonly SortedDictionary<uint, PlayerWatch> _players = [];

    // By perspective: the last loop, and the last one at which all was read.
    private readonly Dictionary<uint, (uint Last, uint Sampled)> _loops = [];
    private (uint First, uint Last)? _span;

    /// <summary>Begins.</summary>
    /// <param name="data">The game's names and costs.</param>
    /// <param name="description">The match.</param>
    public MatchAnalyst(ResponseData data, MatchDescription description)
    {
        foreach (var type in data.Units)
        {
            var name = type.Name.Length is > 0 and <= LongestName ? type.Name : Unnamed(type.UnitId);
            _types[type.UnitId] = (name, type.MineralCost, type.VespeneCost, TownHalls.IsOne(name));
        }

        _hasObserver = description.Perspectives.Contains(Observer);
        _fights = new FightFinder(CostOf, NameOf);
        foreach (var player in description.Players.Where(player => player.Kind != PlayerKind.Observer))
        {
            Player(player.PlayerId);
        }
    }

    /// <summary>Adds an observation. One that is earlier than another of its perspective does not count.</summary>
    /// <param name="perspective">A player id, 0 for an observer of all.</param>
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
        _span = (Math.Min(_span?.First ?? loop, loop), Math.Max(_span?.Last ?? loop, loop));
        var observation = Part(bytes, ResponseObservation.ObservationFieldNumber);
        if (perspective == Observer || !_hasObserver)
        {
            AddUnits(Part(observation, Observation.RawDataFieldNumber), loop, isSample);
        }

        if (Player(perspective) is { } player)
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
        if (record.Outcome is not { } outcome || Player(record.Perspective) is not { } player)
        {
            return;
        }

        if (outcome.Error is not null)
        {
            player.CountErrors(RefusedByBridge, Math.Max(1, record.Actions.Count), 0);
        }

        foreach (var refused in outcome.Outcomes.Where(one => one.Result != Success))
        {
            player.CountErrors(refused.Result == 0 ? RefusedByBridge : ((ActionResult)refused.Result).ToString(), 1, 0);
        }
    }

    /// <summary>The result; nothing can be added any more.</summary>
    public MatchAnalysis Finish()
    {
        var (first, last) = _span ?? (0, 0);
        return new MatchAnalysis(
            Rules, first, last, _fights.Finish(),
            [.. _players.Select(player => player.Value.Finish(player.Key, last, _halls.Of(player.Key)))]);
    }

    // The last one, as the game writes each part once.
    private static ReadOnlySpan<byte> Part(ReadOnlySpan<byte> message, int field)
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

    private static string Unnamed(uint type) => string.Create(CultureInfo.InvariantCulture, $"unit type {type}");

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
        player.See(loop, PlayerCommon.Parser.ParseFrom(Part(observation, Observation.PlayerCommonFieldNumber)));
        var details = Part(Part(observation, Observation.ScoreFieldNumber), Score.ScoreDetailsFieldNumber);
        if (!details.IsEmpty)
        {
            player.SeeIdle(
                SeenUnit.Real(details, ScoreDetails.IdleProductionTimeFieldNumber),
                SeenUnit.Real(details, ScoreDetails.IdleWorkerTimeFieldNumber));
        }
    }

    private void AddUnits(ReadOnlySpan<byte> raw, uint loop, bool isSample)
    {
        AddDead(Event.Parser.ParseFrom(Part(raw, ObservationRaw.EventFieldNumber)).DeadUnits, loop);
        var damaged = new List<SeenUnit>();
        var reader = new WireReader(raw);
        while (isSample && reader.Next())
        {
            if (reader.Field == ObservationRaw.UnitsFieldNumber && SeenUnit.TryRead(reader.Content, out var unit))
            {
                if (_types.TryGetValue(unit.Type, out var type) && type.IsTownHall)
                {
                    _halls.See(unit, type.Name, loop);
                }

                if (_units.See(unit, loop) && damaged.Count < MostEvents)
                {
                    damaged.Add(unit);
                }
            }
        }

        foreach (var unit in damaged)
        {
            _fights.Add(loop, unit, isLoss: false, _units.OthersNear(unit, loop));
        }
    }

    // Units that killed each other count as near each other, so that the dead are removed last.
    private void AddDead(IEnumerable<ulong> tags, uint loop)
    {
        var dead = tags.Select(_units.Find).OfType<SeenUnit>().Distinct().Take(MostEvents).ToList();
        foreach (var unit in dead)
        {
            _halls.AddLoss(unit.Tag, loop);
            _fights.Add(loop, unit, isLoss: true, _units.OthersNear(unit, loop));
        }

        foreach (var unit in dead)
        {
            _units.Remove(unit.Tag);
        }
    }

    // Null if no player has the id. A match has at most 15 players, so that their number is bounded.
    private PlayerWatch? Player(uint player)
    {
        if (!_players.TryGetValue(player, out var watch) && player is > Observer and <= SeenUnit.LastPlayer)
        {
            _players[player] = watch = new PlayerWatch();
        }

        return watch;
    }

    private string NameOf(uint type) => _types.TryGetValue(type, out var known) ? known.Name : Unnamed(type);

    private (long Minerals, long Vespene) CostOf(uint type) =>
        _types.TryGetValue(type, out var known) ? (known.Minerals, known.Vespene) : (0, 0);
}
