using SC2APIProtocol;

namespace Sc2Bridge.Simulator.World;

/// <summary>Who plays.</summary>
/// <param name="Race">The race asked for; Random is drawn from the seed.</param>
/// <param name="Difficulty">How well.</param>
/// <param name="Name">May be empty.</param>
internal readonly record struct PlayerSpec(Race Race, Difficulty Difficulty, string Name);

/// <summary>
/// The simulated world: plain data that systems update, one game loop at a time. The same map, players and seed give
/// the same world on every machine: it reckons in whole numbers.
/// </summary>
internal sealed class GameWorld
{
    /// <summary>Who owns what nobody owns, as the game answers it.</summary>
    public const int NeutralOwner = 16;

    /// <summary>Game loops end here, as in the game.</summary>
    public const int LastLoop = 1 << 19;

    private readonly Stack<int> _free = new();
    private WorldRandom _random;

    /// <summary>Sets a world up as it is at loop 0.</summary>
    /// <param name="map">Where.</param>
    /// <param name="players">Who, at most as many as the map has starts.</param>
    /// <param name="seed">Decides everything that is left to chance.</param>
    public GameWorld(GameMap map, IReadOnlyList<PlayerSpec> players, uint seed)
    {
        Map = map;
        _random = new WorldRandom(seed);
        Players = new Player[players.Count];
        for (var i = 0; i < players.Count; i++)
        {
            var race = players[i].Race is Race.Terran or Race.Zerg or Race.Protoss
                ? players[i].Race
                : (Race)(1 + _random.Next(3));
            Players[i] = new Player
            {
                Id = i + 1,
                Race = race,
                RaceRequested = players[i].Race,
                Difficulty = players[i].Difficulty,
                Name = players[i].Name,
                StartBase = map.Starts[i],
                Style = _random.Next(3),
                NextWave = 7600 + _random.Next(1600),
            };
        }

        BaseOwner = new int[map.Bases.Length];
        SpotTaken = [.. map.Bases.Select(b => new bool[b.Spots.Length])];
        Vision = new Vision(this);
        Creep = new Creep(this);
        Bins = new UnitBins(this);
        WorldSetup.Populate(this);
        Bins.Rebuild();
        Creep.Update();
        Vision.Update();
    }

    /// <summary>The map.</summary>
    public GameMap Map { get; }

    /// <summary>The players; player n is at n - 1.</summary>
    public Player[] Players { get; }

    /// <summary>The slots of units, the first <see cref="SlotCount"/> of which have been used.</summary>
    public Unit[] Units { get; private set; } = new Unit[1024];

    /// <summary>How many slots have been used.</summary>
    public int SlotCount { get; private set; }

    /// <summary>Game loops gone.</summary>
    public int Loop { get; private set; }

    /// <summary>Whether there is a result.</summary>
    public bool Ended { get; private set; }

    /// <summary>What each player sees.</summary>
    public Vision Vision { get; }

    /// <summary>Where creep is.</summary>
    public Creep Creep { get; }

    /// <summary>What happened since it was last taken.</summary>
    public WorldEvents Events { get; } = new();

    /// <summary>For each base the player whose town hall stands there, or 0.</summary>
    public int[] BaseOwner { get; }

    /// <summary>For each base, which of its building spots are taken.</summary>
    public bool[][] SpotTaken { get; }

    /// <summary>The units by place.</summary>
    public UnitBins Bins { get; }

    /// <summary>A unit's tag, in the form of the game's: a slot above 18 bits that say how often it was used.</summary>
    /// <param name="slot">Its slot.</param>
    public ulong TagOf(int slot) => ((ulong)(16384 + slot) << 18) | (uint)Units[slot].Generation;

    /// <summary>The slot of a living unit, or -1.</summary>
    /// <param name="tag">Its tag.</param>
    public int SlotOf(ulong tag)
    {
        var slot = (long)(tag >> 18) - 16384;
        return slot >= 0 && slot < SlotCount && Units[slot].Alive && TagOf((int)slot) == tag ? (int)slot : -1;
    }

    /// <summary>A random number of the world's sequence.</summary>
    /// <param name="limit">One above the largest.</param>
    public int Random(int limit) => _random.Next(limit);

    /// <summary>Plays one game loop. Does nothing once the game has ended.</summary>
    public void Step()
    {
        if (Ended)
        {
            return;
        }

        Loop++;
        Bins.Rebuild();
        Workers.Update(this);
        Production.Update(this);
        Combat.Update(this);
        foreach (var player in Players)
        {
            Computer.Update(this, player);
        }

        if (Loop % 16 == 0)
        {
            Creep.Update();
            Vision.Update();
        }

        FindResult();
    }

    /// <summary>Ends the game without a winner.</summary>
    public void EndInTie()
    {
        if (!Ended)
        {
            Ended = true;
            Array.ForEach(Players, p => p.Result ??= Result.Tie);
        }
    }

    /// <summary>Makes a unit.</summary>
    /// <param name="type">Its facts.</param>
    /// <param name="owner">Whose.</param>
    /// <param name="x">Where, in 1/4096 of a cell.</param>
    /// <param name="y">Where, in 1/4096 of a cell.</param>
    /// <param name="buildLeft">Game loops until it is finished.</param>
    /// <returns>Its slot.</returns>
    public int Add(UnitFacts type, int owner, int x, int y, int buildLeft = 0)
    {
        if (!_free.TryPop(out var slot))
        {
            slot = SlotCount++;
            if (SlotCount > Units.Length)
            {
                var larger = new Unit[Units.Length * 2];
                Units.CopyTo(larger, 0);
                Units = larger;
            }
        }

        ref var unit = ref Units[slot];
        unit = new Unit
        {
            Alive = true,
            Generation = unit.Generation + 1,
            Type = type.Index,
            Owner = owner,
            X = x,
            Y = y,
            Facing = Geometry.Turn * 5 / 8,
            Health = (buildLeft > 0 ? Math.Max(1, type.Health / 10) : type.Health) * 256,
            Shield = buildLeft > 0 ? 0 : type.Shield * 256,
            Energy = type.StartEnergy * 256,
            BuildLeft = buildLeft,
            Target = -1,
            Product = -1,
            Research = -1,
            AddOn = -1,
            Spot = -1,
            Base = Map.NearestBase(x, y),
        };
        if (owner != NeutralOwner)
        {
            var player = Players[owner - 1];
            player.Count[type.Index]++;
            player.HalfFoodUsed += type.HalfFood;
            player.HalfFoodWorkers += type.Is(Kind.Worker) ? type.HalfFood : 0;
            if (buildLeft == 0)
            {
                CountFinished(player, type);
            }
        }

        return slot;
    }

    /// <summary>Counts a unit as finished and gives what it provides.</summary>
    /// <param name="player">Whose.</param>
    /// <param name="type">Its facts.</param>
    public static void CountFinished(Player player, UnitFacts type)
    {
        player.Finished[type.Index]++;
        player.FoodCap = Supply(player);
    }

    /// <summary>Takes a unit out of the world.</summary>
    /// <param name="slot">Its slot.</param>
    /// <param name="died">Whether it died, rather than became something else.</param>
    public void Remove(int slot, bool died)
    {
        ref var unit = ref Units[slot];
        var facts = unit.Facts;
        if (died)
        {
            Events.Dead.Add(TagOf(slot));
        }

        unit.Alive = false;
        _free.Push(slot);
        if (unit.Spot >= 0)
        {
            SpotTaken[unit.Base][unit.Spot] = false;
        }

        if (unit.AddOn >= 0)
        {
            // Neither a building nor its add-on points at a slot that may be another unit's soon.
            Units[unit.AddOn].AddOn = -1;
            unit.AddOn = -1;
        }

        if (unit.Owner == NeutralOwner)
        {
            return;
        }

        var player = Players[unit.Owner - 1];
        player.Count[unit.Type]--;
        player.HalfFoodUsed -= facts.HalfFood;
        player.HalfFoodWorkers -= facts.Is(Kind.Worker) ? facts.HalfFood : 0;
        if (unit.Finished)
        {
            player.Finished[unit.Type]--;
            player.FoodCap = Supply(player);
        }

        if (unit.Product >= 0)
        {
            Production.Cancel(player, unit.Product, facts.Is(Kind.Worker) ? 1 : unit.Batch);
        }

        if (facts.Is(Kind.TownHall) && BaseOwner[unit.Base] == unit.Owner)
        {
            BaseOwner[unit.Base] = 0;
        }
    }

    private static int Supply(Player player)
    {
        var provided = 0;
        for (var i = 0; i < player.Finished.Length; i++)
        {
            provided += player.Finished[i] * UnitTable.All[i].FoodProvided;
        }

        return Math.Min(200, provided);
    }

    private void FindResult()
    {
        foreach (var player in Players)
        {
            player.Result ??= HasStructures(player) ? null : Result.Defeat;
        }

        var playing = Players.Count(p => p.Result is null);
        if (Loop < LastLoop && (playing > 1 || (playing == 1 && Players.Length == 1)))
        {
            return;
        }

        Ended = true;
        foreach (var player in Players)
        {
            player.Result ??= playing == 1 ? Result.Victory : Result.Tie;
        }

        if (playing == 0)
        {
            Array.ForEach(Players, p => p.Result = Result.Tie);
        }
    }

    private static bool HasStructures(Player player)
    {
        for (var i = 0; i < player.Count.Length; i++)
        {
            // Creep tumours do not keep a player in the game.
            if (player.Count[i] > 0 && UnitTable.All[i].Is(Kind.Structure) && UnitTable.All[i].Id != Creep.TumorId)
            {
                return true;
            }
        }

        return false;
    }
}
