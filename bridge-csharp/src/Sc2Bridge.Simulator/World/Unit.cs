using Sc2Bridge.Simulator.Facts;
using Aim = SC2APIProtocol.AbilityData.Types.Target;

namespace Sc2Bridge.Simulator.World;

/// <summary>A worker's load.</summary>
internal enum Load : byte
{
    None,

    Minerals,

    /// <summary>Minerals of a rich field.</summary>
    RichMinerals,

    Vespene,
}

/// <summary>
/// The state of one unit, building or resource: plain data that the systems in this folder update. Positions are in 1/4096
/// of a cell, life in 1/256 of a point, times in game loops.
/// </summary>
internal sealed class Unit(ulong tag, UnitType type, int owner) : Copyable
{
    /// <summary>The number of the first unit.</summary>
    public const int FirstNumber = 16384;

    /// <summary>Identifies the unit for its whole life. A morph does not change it.</summary>
    public ulong Tag { get; } = tag;

    /// <summary>Its current type. <see cref="GameWorld.Morph"/> changes it.</summary>
    public UnitType Type { get; set; } = type;

    /// <summary>A player's id, or <see cref="GameWorld.Neutral"/>.</summary>
    public int Owner { get; set; } = owner;

    /// <summary>The player that owned it first. It gets the unit back when a neural parasite ends.</summary>
    public int FirstOwner { get; } = owner;

    /// <summary>False after it was removed from the world. Check it if you keep a reference.</summary>
    public bool Alive { get; set; } = true;

    /// <summary>Its position.</summary>
    public int X { get; set; }

    /// <summary>Its position.</summary>
    public int Y { get; set; }

    /// <summary>Its direction, in 1/65536 of a turn.</summary>
    public int Facing { get; set; }

    /// <summary>Its current life.</summary>
    public int Health { get; set; }

    /// <summary>Its maximum life: the type's, and the additional life of upgrades.</summary>
    public int MostHealth => (Type.Health + MoreHealth) * 256;

    /// <summary>Additional life from upgrades, in points.</summary>
    public int MoreHealth { get; set; }

    /// <summary>Places for passengers.</summary>
    public int CargoSpace => SpaceAs(Type);

    /// <summary>Additional places for passengers from upgrades.</summary>
    public int MoreCargo { get; set; }

    /// <summary>Its current shields.</summary>
    public int Shield { get; set; }

    /// <summary>Its current energy.</summary>
    public int Energy { get; set; }

    /// <summary>The loop of the last hit that it took. Shields regenerate ten seconds later.</summary>
    public int LastHit { get; set; } = int.MinValue / 2;

    /// <summary>Until this loop, energy, shields and life do not regenerate, because a debug command has set them.</summary>
    public int SetUntil { get; set; }

    /// <summary>Loops until it is finished; 0 if it is finished.</summary>
    public int BuildLeft { get; set; }

    /// <summary>Its orders, the current one first.</summary>
    public List<Order> Orders { get; private set; } = [];

    /// <summary>Its products, the current one first. The queue has five places; with a reactor eight, and two products at a time.</summary>
    public List<Product> Queue { get; private set; } = [];

    /// <summary>Its current morph, or null.</summary>
    public Change? Change { get; set; }

    /// <summary>The rally points of its products. A town hall has one for workers and one for other units.</summary>
    public List<Rally> Rallies { get; private set; } = [];

    /// <summary>A building's add-on, or an add-on's building.</summary>
    public Unit? AddOn { get; set; }

    /// <summary>A refinery's geyser, the hatchery of a larva or egg, an interceptor's carrier, or the adept of
    /// a shade.</summary>
    public Unit? Home { get; set; }

    /// <summary>The transport or bunker that it is in. It is then not on the map.</summary>
    public Unit? Carrier { get; set; }

    /// <summary>The units in it.</summary>
    public List<Unit> Passengers { get; private set; } = [];

    /// <summary>The remaining minerals or vespene of a resource, or of the geyser below a refinery.</summary>
    public int Contents { get; set; }

    public Load Load { get; set; }

    /// <summary>The amount of the load.</summary>
    public int LoadAmount { get; set; }

    /// <summary>The number of workers of this field, refinery or town hall. Counted regularly.</summary>
    public int Harvesters { get; set; }

    /// <summary>A town hall's ideal number of workers: two for each field in reach.</summary>
    public int IdealHarvesters { get; set; }

    /// <summary>The worker that mines this field now, or is in this refinery.</summary>
    public Unit? MinedBy { get; set; }

    /// <summary>Loops until the worker leaves this refinery.</summary>
    public int MiningLeft { get; set; }

    /// <summary>The field or refinery to which a worker goes back.</summary>
    public Unit? Mines { get; set; }

    /// <summary>The worker that builds this Terran building. No other worker can help.</summary>
    public Unit? Builder { get; set; }

    /// <summary>The initial value of <see cref="BuildLeft"/>.</summary>
    public int BuildLoops { get; init; }

    /// <summary>Supply, in halves, that is reserved for its products or its morph, in addition to its own supply.</summary>
    public int HeldFood { get; set; }

    /// <summary>Loops until a hatchery's next larva.</summary>
    public int LarvaLeft { get; set; }

    /// <summary>The number of a hatchery's larvae. Counted again in each loop.</summary>
    public int Larvae { get; set; }

    /// <summary>The remaining loops of all injections of a hatchery. They take effect one after the other.</summary>
    public int InjectLeft { get; set; }

    /// <summary>The time until its weapon is ready, in 1/256 of a loop.</summary>
    public int WeaponLeft { get; set; }

    /// <summary>The unit that it fights.</summary>
    public Unit? Engaged { get; set; }

    /// <summary>The remaining waypoints of its route. See <see cref="Movement"/>.</summary>
    public Way? Way { get; set; }

    /// <summary>The center of a sieged liberator's zone. It attacks only inside.</summary>
    public (int X, int Y)? Zone { get; set; }

    /// <summary>The abilities with autocast turned on.</summary>
    public HashSet<int> Autocast { get; private set; } = [];

    /// <summary>Loops until an ability can be used again, by ability.</summary>
    public Dictionary<int, int> Cooldowns { get; private set; } = [];

    /// <summary>Its buffs: each has an id and the loop that ends it.</summary>
    public List<(int Id, int Until)> Buffs { get; private set; } = [];

    /// <summary>The loop that ends its timed life (MULE, broodling, changeling, scan); 0 if it has none.</summary>
    public int Expires { get; set; }

    /// <summary>The full duration of its timed life, in loops.</summary>
    public int ExpiresAfter { get; set; }

    /// <summary>Whether it is cloaked, by itself or by another unit.</summary>
    public bool Cloaked { get; set; }

    /// <summary>Whether it is in a power field.</summary>
    public bool Powered { get; set; }

    /// <summary>Whether it is a hallucination, which does no damage.</summary>
    public bool Hallucination { get; set; }

    /// <summary>Bit n: player n sees its position now. Set by <see cref="Vision"/>.</summary>
    public int SeenBy { get; set; }

    /// <summary>Bit n: a detector of player n reaches it. Set by <see cref="Vision"/>.</summary>
    public int DetectedBy { get; set; }

    /// <summary>Whether another player sees it. A cloaked unit needs a detector.</summary>
    public bool IsKnownTo(int player) =>
        ((SeenBy >> player) & 1) != 0 && (!Cloaked || ((DetectedBy >> player) & 1) != 0);

    /// <summary>Whether it is finished.</summary>
    public bool Finished => BuildLeft == 0;

    public bool Flying => Type.Is(Kind.Flying);

    /// <summary>Its number, in the order of creation, from <see cref="FirstNumber"/>.</summary>
    public int Number => (int)(Tag >> 18);

    /// <summary>
    /// Whether the unit does its periodic work in this loop. Each unit does it every eight loops, but not all in the same loop.
    /// </summary>
    public bool IsDue(int loop) => ((loop + Number) & 7) == 0;

    /// <summary>Whether it is on the map and not in a transport.</summary>
    public bool Present => Carrier is null;

    /// <summary>The places for passengers that it would have as another type.</summary>
    public int SpaceAs(UnitType type) => type.CargoSpace > 0 ? type.CargoSpace + MoreCargo : 0;

    /// <summary>Its current order, or null.</summary>
    public Order? Order => Orders.Count > 0 ? Orders[0] : null;

    /// <inheritdoc/>
    public override void Separate(WorldCopy copies)
    {
        // A morph and the list can have the same order.
        var morph = Change is null ? -1 : Orders.IndexOf(Change.Order);
        Orders = Orders.ConvertAll(order => order.Copy(copies));
        Change = Change?.Copy(morph < 0 ? Change.Order.Copy(copies) : Orders[morph]);
        Queue = Queue.ConvertAll(product => product.Copy());
        Rallies = Rallies.ConvertAll(rally => rally with { Target = copies.UnitOf(rally.Target) });
        Passengers = copies.UnitsOf(Passengers);
        (Autocast, Cooldowns, Buffs) = ([.. Autocast], new(Cooldowns), [.. Buffs]);
        (AddOn, Home, Carrier, MinedBy) = (copies.UnitOf(AddOn), copies.UnitOf(Home), copies.UnitOf(Carrier), copies.UnitOf(MinedBy));
        (Mines, Builder, Engaged, Way) = (copies.UnitOf(Mines), copies.UnitOf(Builder), copies.UnitOf(Engaged), Way?.Copy());
    }
}

/// <summary>An order of a unit.</summary>
/// <param name="ability">The ability. Never a general one.</param>
internal sealed class Order(Ability ability)
{
    public Ability Ability { get; } = ability;

    /// <summary>The target. It may have died since.</summary>
    public Unit? Target { get; init; }

    /// <summary>Whether the target is the point <see cref="X"/>, <see cref="Y"/>. False if it is a unit.</summary>
    public bool HasPoint { get; init; }

    /// <summary>The target's position.</summary>
    public int X { get; init; }

    /// <summary>The target's position.</summary>
    public int Y { get; init; }

    /// <summary>Whether it is a move into the target, a transport.</summary>
    public bool Boards { get; init; }

    /// <summary>The progress of the order. Each kind of order has its own phases, from 0.</summary>
    public int Phase { get; set; }

    /// <summary>Loops until the phase ends. Some kinds of orders count something else.</summary>
    public int Left { get; set; }

    /// <summary>The building that a worker has begun, or the add-on of a building.</summary>
    public Unit? Made { get; set; }

    /// <summary>The point at which a patrol began.</summary>
    public (int X, int Y) From { get; set; }

    /// <summary>Whether a command asks for the same order again.</summary>
    /// <remarks>Targets of an ability without a target are not compared: the game chooses them, such as a worker's town hall.</remarks>
    public bool IsRepeatedBy(Order other) => Ability.Id == other.Ability.Id && Boards == other.Boards
        && (Ability.Target == Aim.None || (HasPoint
            ? other.HasPoint && (X, Y) == (other.X, other.Y)
            : !other.HasPoint && Target == other.Target));

    /// <summary>A copy for a copied unit.</summary>
    public Order Copy(WorldCopy copies) => new(Ability)
    {
        Target = copies.UnitOf(Target),
        HasPoint = HasPoint,
        X = X,
        Y = Y,
        Boards = Boards,
        Phase = Phase,
        Left = Left,
        Made = copies.UnitOf(Made),
        From = From,
    };
}

/// <summary>A product in a building's queue.</summary>
/// <param name="ability">The ability that makes the unit or upgrade.</param>
/// <param name="paid">The price that was paid. It is refunded if the product is cancelled.</param>
/// <param name="loops">The duration in loops.</param>
internal class Product(Ability ability, Price paid, int loops)
{
    public Ability Ability => ability;

    public Price Paid => paid;

    /// <summary>The duration in loops.</summary>
    public int Loops { get; } = loops;

    /// <summary>The remaining loops.</summary>
    public int Left { get; set; } = loops;

    /// <summary>Whether work has begun and the supply is reserved.</summary>
    public bool Started { get; set; }

    /// <summary>A copy.</summary>
    public Product Copy() => (Product)MemberwiseClone();
}

/// <summary>A unit's morph into another type. If it is cancelled, three quarters of the price are refunded.</summary>
/// <param name="order">The order that began it.</param>
/// <param name="paid">The price that was paid.</param>
/// <param name="loops">The duration in loops.</param>
/// <param name="from">The old type. An egg that is cancelled becomes a larva again.</param>
internal sealed class Change(Order order, Price paid, int loops, UnitType from)
    : Product(order.Ability, paid, loops)
{
    /// <summary>The order that began it. Observations show it, with its target, until the change ends.</summary>
    public Order Order => order;

    /// <summary>The old type.</summary>
    public UnitType From => from;

    /// <summary>The new type.</summary>
    public UnitType Into { get; } = TechTree.Unit(order.Ability.Product);

    /// <summary>A copy for a copied unit.</summary>
    /// <param name="itsOrder">The copy of the order.</param>
    public Change Copy(Order itsOrder) => new(itsOrder, Paid, Loops, From) { Left = Left, Started = Started };
}

/// <summary>A rally point: where new units go.</summary>
/// <param name="X">The point.</param>
/// <param name="Y">The point.</param>
/// <param name="Target">The unit there, or null.</param>
/// <param name="ForWorkers">Whether it is for workers only.</param>
internal readonly record struct Rally(int X, int Y, Unit? Target, bool ForWorkers);
