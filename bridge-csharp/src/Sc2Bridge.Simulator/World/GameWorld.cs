using SC2APIProtocol;
using Sc2Bridge.Simulator.Facts;
using Sc2Bridge.Simulator.Maps;

namespace Sc2Bridge.Simulator.World;

/// <summary>
/// The simulated world: plain data that the systems beside this file update, one game loop at a time. The same map,
/// players, seed and commands give the same world on every machine: it reckons in whole numbers and walks its units in
/// the order in which they came.
/// </summary>
internal sealed class GameWorld
{
    /// <summary>The owner of neutral objects, as the game answers it.</summary>
    public const int Neutral = 16;

    /// <summary>Game loops end here, as in the game.</summary>
    public const int LastLoop = 1 << 19;

    private readonly Dictionary<ulong, Unit> _byTag = [];
    private readonly PlayerEvents[] _events;
    private WorldRandom _random;
    private uint _made;

    /// <summary>Sets a world up as it is at loop 0.</summary>
    /// <param name="map">Where.</param>
    /// <param name="players">Who, at most as many as the map has starts.</param>
    /// <param name="seed">Decides everything that is left to chance.</param>
    public GameWorld(GameMap map, IReadOnlyList<PlayerSpec> players, uint seed)
    {
        Map = map;
        _random = new WorldRandom(seed);
        Players = WorldSetup.MakePlayers(this, players);
        _events = [.. Enumerable.Range(0, players.Count + 1).Select(_ => new PlayerEvents())];
        Bins = new UnitBins(map);
        Ground = new Ground(map);
        Crowd = new Crowd(this);
        Vision = new Vision(this);
        Creep = new Creep(this);
        Power = new Power();
        WorldSetup.Populate(this);
        Refresh();
        Harvesters.Count(this);
    }

    /// <summary>The map.</summary>
    public GameMap Map { get; }

    /// <summary>The players; player n is at n - 1.</summary>
    public Player[] Players { get; }

    /// <summary>The players without the empty seats.</summary>
    public IEnumerable<Player> Seated => Players.Where(player => player.Spec != PlayerSpec.Nobody);

    /// <summary>The living units, oldest first. Only this class adds or removes units. A list, because a walk over an interface is slower.</summary>
    public List<Unit> Units { get; } = [];

    /// <summary>Game loops gone.</summary>
    public int Loop { get; private set; }

    /// <summary>Whether there is a result.</summary>
    public bool Ended { get; private set; }

    /// <summary>What each player sees, and what it remembers of what it saw.</summary>
    public Vision Vision { get; }

    /// <summary>Where creep is.</summary>
    public Creep Creep { get; }

    /// <summary>Where buildings of the Protoss work.</summary>
    public Power Power { get; }

    /// <summary>Which cells buildings, resources and debris take.</summary>
    public Ground Ground { get; }

    /// <summary>Keeps units from standing in each other.</summary>
    public Crowd Crowd { get; }

    /// <summary>The units by place.</summary>
    public UnitBins Bins { get; }

    /// <summary>Effects on the ground.</summary>
    public List<Effect> Effects { get; } = [];

    /// <summary>What a viewer has yet to be told.</summary>
    /// <param name="viewer">A player's id, or 0 for an observer of all.</param>
    public PlayerEvents EventsOf(int viewer) => _events[viewer];

    /// <summary>A player by its id.</summary>
    public Player PlayerOf(int id) => Players[id - 1];

    /// <summary>A living unit, or null.</summary>
    public Unit? Find(ulong tag) => _byTag.GetValueOrDefault(tag);

    /// <summary>A random number of the world's sequence.</summary>
    /// <param name="limit">One above the largest.</param>
    public int Random(int limit) => _random.Next(limit);

    /// <summary>Plays one game loop. Does nothing once the game has ended.</summary>
    /// <remarks>The commands of this loop have been given before it; computers give theirs before it too.</remarks>
    public void Step()
    {
        if (Ended)
        {
            return;
        }

        Loop++;
        Bins.Rebuild(Units);
        Life.Update(this);
        Mining.Update(this);
        Orders.Update(this);
        Crowd.Push();
        Production.Update(this);
        Larvae.Update(this);
        EffectsOnGround.Update(this);
        if (Loop % 8 == 0)
        {
            Refresh();
        }

        Bury();
        Array.ForEach(Players, static player => player.Selection.Update(player.Id));
        FindResult();
    }

    /// <summary>Makes a unit, without asking whether there is room.</summary>
    /// <param name="type">What.</param>
    /// <param name="owner">Whose.</param>
    /// <param name="x">Where.</param>
    /// <param name="y">Where.</param>
    /// <param name="buildLeft">Loops until it is built.</param>
    public Unit Add(UnitType type, int owner, int x, int y, int buildLeft = 0)
    {
        // As the game's tags: a slot above 18 bits of how often it was used. Here no slot is used twice.
        var unit = new Unit(((16384ul + _made++) << 18) | 1, type, owner)
        {
            X = x,
            Y = y,
            Facing = Geometry.Turn * 3 / 4,
            Health = (buildLeft > 0 ? Math.Max(1, type.Health / 10) : type.Health) * 256,
            Shield = (buildLeft > 0 ? Math.Min(type.Shield, Math.Max(1, type.Shield / 10)) : type.Shield) * 256,
            Energy = type.StartEnergy * 256,
            BuildLeft = buildLeft,
            BuildLoops = buildLeft,
        };
        if (owner != Neutral)
        {
            Upgrades.Strengthen(PlayerOf(owner), unit);
        }

        Units.Add(unit);
        _byTag.Add(unit.Tag, unit);
        Ground.Take(unit);
        Count(unit, 1);
        return unit;
    }

    /// <summary>Turns a unit into another type; its life stays the same part of the whole.</summary>
    public void Morph(Unit unit, UnitType into)
    {
        Ground.Free(unit);
        Count(unit, -1);
        var from = unit.Type;
        unit.Health = from.Health == 0 ? into.Health * 256 : (int)((long)unit.Health * into.Health / from.Health);
        unit.Energy = from.Energy == 0 ? into.StartEnergy * 256 : Math.Min(unit.Energy, into.Energy * 256);
        unit.Type = into;
        Ground.Take(unit);
        Count(unit, 1);
    }

    /// <summary>Gives a unit to another player, who has it without orders; nobody goes on fighting it by itself.</summary>
    public void ChangeOwner(Unit unit, int owner)
    {
        Orders.Clear(unit);
        Units.ForEach(other => other.Engaged = other.Engaged == unit ? null : other.Engaged);
        Count(unit, -1);
        PlayerOf(unit.Owner).HalfFoodUsed -= unit.HeldFood;
        unit.Owner = owner;
        PlayerOf(unit.Owner).HalfFoodUsed += unit.HeldFood;
        Count(unit, 1);
    }

    /// <summary>Marks a building as built.</summary>
    public void Finish(Unit unit)
    {
        Count(unit, -1);
        unit.BuildLeft = 0;
        Count(unit, 1);
    }

    /// <summary>
    /// Takes a unit out of the world; it stays in <see cref="Units"/>, not alive, until the loop's end.
    /// </summary>
    /// <param name="unit">Which.</param>
    /// <param name="died">Whether it died, which viewers are told, rather than became part of something else.</param>
    public void Remove(Unit unit, bool died)
    {
        if (!unit.Alive)
        {
            return;
        }

        unit.Alive = false;
        _byTag.Remove(unit.Tag);
        Production.Abandon(this, unit);
        Ground.Free(unit);
        Count(unit, -1);
        foreach (var passenger in unit.Passengers.ToArray())
        {
            Remove(passenger, died);
        }

        unit.Carrier?.Passengers.Remove(unit);
        if (unit.AddOn is { } other)
        {
            other.AddOn = null;
        }

        if (died)
        {
            _events[0].Dead.Add(unit.Tag);
            foreach (var player in Players)
            {
                if (player.Id == unit.Owner || (unit.Present && unit.IsKnownTo(player.Id)))
                {
                    _events[player.Id].Dead.Add(unit.Tag);
                }
            }
        }
    }

    /// <summary>Ends the game without a winner.</summary>
    public void EndInTie() => EndWith(player => player.Result ?? Result.Tie);

    /// <summary>Gives a player up (it left, or a debug command says so).</summary>
    public void Defeat(Player player)
    {
        player.Result ??= Result.Defeat;
        FindResult();
    }

    /// <summary>Ends the game with results.</summary>
    public void EndWith(Func<Player, Result> result)
    {
        if (!Ended)
        {
            Ended = true;
            Array.ForEach(Players, p => p.Result = result(p));
            Bury(); // No further loop does.
        }
    }

    private void Refresh()
    {
        Bins.Rebuild(Units);
        Power.Update(this);
        Creep.Update();
        Vision.Update();
    }

    // How many of each type a player has, and what supply they take and give.
    private void Count(Unit unit, int by)
    {
        if (unit.Owner == Neutral)
        {
            return;
        }

        var player = PlayerOf(unit.Owner);
        player.Count[unit.Type.Index] += by;
        player.HalfFoodUsed += by * unit.Type.HalfFood;
        if (unit.Finished)
        {
            player.Finished[unit.Type.Index] += by;
            player.FoodProvided += by * unit.Type.FoodProvided;
        }
    }

    private void Bury()
    {
        // Between loops commands look for neighbours too: the bins must not have the old order.
        if (Units.RemoveAll(static unit => !unit.Alive) > 0)
        {
            Bins.Rebuild(Units);
        }
    }

    // A player with no building left has lost, in a scenario with no unit; creep tumours do not count.
    private void FindResult()
    {
        if (Ended)
        {
            return;
        }

        foreach (var player in Players)
        {
            player.Result ??= !Map.Melee || Units.Exists(u => u.Alive && u.Owner == player.Id && KeepsIn(u)) ? null : Result.Defeat;
        }

        if (Map.Scenario?.Goal is { } goal
            && Units.Exists(u => u.Alive && u.Owner == goal.Player && Geometry.Length(u.X - goal.At.X, u.Y - goal.At.Y) <= goal.Radius))
        {
            EndWith(p => p.Id == goal.Player ? Result.Victory : Result.Defeat);
            return;
        }

        var playing = Players.Count(p => p.Result is null);
        if (Loop >= LastLoop || playing == 0)
        {
            EndWith(p => p.Result is { } result && (Loop >= LastLoop || Players.Length == 1) ? result : Result.Tie);
        }
        else if (playing == 1 && Players.Length > 1)
        {
            EndWith(p => p.Result ?? Result.Victory);
        }
    }

    private bool KeepsIn(Unit unit) =>
        (Map.Scenario is null ? unit.Type.Is(Kind.Structure) : !unit.Hallucination && unit.Expires == 0)
        && !unit.Type.Is(Kind.KeepsNobodyIn);
}
