using SC2APIProtocol;
using Sc2Bridge.Simulator.Facts;
using Sc2Bridge.Simulator.Maps;

namespace Sc2Bridge.Simulator.World;

/// <summary>
/// The simulated world: plain data that the systems in this folder update, one game loop at a time. The same map,
/// players, seed and commands give the same world on every machine, because all arithmetic uses integers and units are
/// updated in the order of their creation.
/// </summary>
internal sealed class GameWorld : Copyable
{
    /// <summary>The owner of neutral objects, as the game reports it.</summary>
    public const int Neutral = 16;

    /// <summary>The last game loop. A match ends here, as in the game.</summary>
    public const int LastLoop = 1 << 19;

    private Dictionary<ulong, Unit> _byTag = [];
    private PlayerEvents[] _events;
    private WorldRandom _random;
    private uint _made;

    /// <summary>Creates a world at loop 0.</summary>
    /// <param name="map">The map.</param>
    /// <param name="players">The players, at most as many as the map has start locations.</param>
    /// <param name="seed">The seed of all random numbers.</param>
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

    public GameMap Map { get; }

    /// <summary>The players; player n is at n - 1.</summary>
    public Player[] Players { get; private set; }

    /// <summary>The players, without empty seats.</summary>
    public IEnumerable<Player> Seated => Players.Where(player => player.Spec != PlayerSpec.Nobody);

    /// <summary>The living units, oldest first. Only this class adds or removes units. A list, because walking an interface is slower.</summary>
    public List<Unit> Units { get; private set; } = [];

    /// <summary>The number of units that were ever created.</summary>
    public int UnitsMade => (int)_made;

    /// <summary>See <see cref="SimulatorOptions.KeepsActions"/>.</summary>
    public bool KeepsActions { get; set; } = true;

    /// <summary>The current game loop.</summary>
    public int Loop { get; private set; }

    /// <summary>Whether the match has ended.</summary>
    public bool Ended { get; private set; }

    /// <summary>What each player sees and remembers.</summary>
    public Vision Vision { get; private set; }

    public Creep Creep { get; private set; }

    /// <summary>The power fields of Protoss.</summary>
    public Power Power { get; private set; }

    /// <summary>The cells that buildings, resources and debris occupy.</summary>
    public Ground Ground { get; private set; }

    /// <summary>Keeps units apart.</summary>
    public Crowd Crowd { get; private set; }

    /// <summary>The units by position.</summary>
    public UnitBins Bins { get; private set; }

    public List<Effect> Effects { get; private set; } = [];

    /// <summary>The events that a viewer's next observation reports.</summary>
    /// <param name="viewer">A player's id, or 0 for an observer of all players.</param>
    public PlayerEvents EventsOf(int viewer) => _events[viewer];

    /// <summary>A player by its id.</summary>
    public Player PlayerOf(int id) => Players[id - 1];

    /// <summary>A living unit, or null.</summary>
    public Unit? Find(ulong tag) => _byTag.GetValueOrDefault(tag);

    /// <summary>The next random number from 0 to below the limit.</summary>
    public int Random(int limit) => _random.Next(limit);

    /// <summary>Plays one game loop. Does nothing if the match has ended.</summary>
    /// <remarks>The caller has already applied the commands of clients and computers for this loop.</remarks>
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

    /// <summary>Creates a unit. The caller has checked that there is room.</summary>
    /// <param name="type">The type.</param>
    /// <param name="owner">The player that owns it.</param>
    /// <param name="x">The position.</param>
    /// <param name="y">The position.</param>
    /// <param name="buildLeft">Loops until it is built.</param>
    public Unit Add(UnitType type, int owner, int x, int y, int buildLeft = 0)
    {
        // Like the game's tags: the slot's number, followed by 18 bits that count its uses. Here each slot is used once.
        var unit = new Unit(((ulong)(Unit.FirstNumber + _made++) << 18) | 1, type, owner)
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
        Ground.Occupy(unit);
        Count(unit, 1);
        return unit;
    }

    /// <summary>Changes a unit's type. Its life keeps its fraction of the maximum.</summary>
    public void Morph(Unit unit, UnitType into)
    {
        Ground.Free(unit);
        Count(unit, -1);
        var from = unit.Type;
        unit.Health = from.Health == 0 ? into.Health * 256 : (int)((long)unit.Health * into.Health / from.Health);
        unit.Energy = from.Energy == 0 ? into.StartEnergy * 256 : Math.Min(unit.Energy, into.Energy * 256);
        unit.Type = into;
        Ground.Occupy(unit);
        Count(unit, 1);
    }

    /// <summary>Gives a unit to another player. Its orders are cleared, and units stop fighting it.</summary>
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

    /// <summary>Marks a building as finished.</summary>
    public void Finish(Unit unit)
    {
        Count(unit, -1);
        unit.BuildLeft = 0;
        Count(unit, 1);
    }

    /// <summary>
    /// Removes a unit from the world. It stays in <see cref="Units"/> until the end of the loop, with Alive set to false.
    /// </summary>
    /// <param name="unit">The unit.</param>
    /// <param name="died">Whether it died, which is reported to viewers. False if it became part of another unit.</param>
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

    /// <summary>Marks a player as defeated, because it left or by a debug command.</summary>
    public void Defeat(Player player)
    {
        player.Result ??= Result.Defeat;
        FindResult();
    }

    /// <summary>Ends the game with the given results.</summary>
    public void EndWith(Func<Player, Result> result)
    {
        if (!Ended)
        {
            Ended = true;
            Array.ForEach(Players, p => p.Result = result(p));
            Bury(); // There is no further loop that would do it.
        }
    }

    /// <inheritdoc/>
    public override void Separate(WorldCopy copies)
    {
        (Players, Units, Effects) = ([.. Players.Select(copies.Of)], copies.UnitsOf(Units), Effects.ConvertAll(effect => effect.Copy(copies)));
        (Vision, Creep, Power, Crowd) = (copies.Of(Vision), copies.Of(Creep), copies.Of(Power), copies.Of(Crowd));
        (Ground, Bins, _events) = (Ground.Copy(), Bins.Copy(Units), [.. _events.Select(events => new PlayerEvents(events))]);
        _byTag = _byTag.ToDictionary(unit => unit.Key, unit => copies.UnitOf(unit.Value));
    }

    /// <summary>Updates power fields, creep and vision. A caller that adds units between two loops can call it.</summary>
    public void Refresh()
    {
        Bins.Rebuild(Units);
        Power.Update(this);
        Creep.Update();
        Vision.Update();
    }

    // Updates the numbers of units of each type, and the supply that they use and provide.
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
        // Commands between two loops search the bins too, so these must match the list's new order.
        if (Units.RemoveAll(static unit => !unit.Alive) > 0)
        {
            Bins.Rebuild(Units);
        }
    }

    // A player without buildings has lost; in a scenario, a player without units. Creep tumours do not count.
    private void FindResult()
    {
        if (Ended)
        {
            return;
        }

        foreach (var player in Players)
        {
            player.Result ??= !Map.Melee || CanStillPlay(player.Id) ? null : Result.Defeat;
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

    private bool CanStillPlay(int player)
    {
        foreach (var unit in Units)
        {
            if (unit.Owner == player && unit.Alive && KeepsPlayerIn(unit))
            {
                return true;
            }
        }

        return false;
    }

    private bool KeepsPlayerIn(Unit unit) =>
        (Map.Scenario is null ? unit.Type.Is(Kind.Structure) : !unit.Hallucination && unit.Expires == 0)
        && !unit.Type.Is(Kind.KeepsNobodyIn);
}
