using Sc2Bridge.Simulator.Facts;
using Aim = SC2APIProtocol.AbilityData.Types.Target;

namespace Sc2Bridge.Simulator.World;

/// <summary>What a worker carries.</summary>
internal enum Load : byte
{
    /// <summary>Nothing.</summary>
    None,

    /// <summary>Minerals.</summary>
    Minerals,

    /// <summary>Minerals of a rich field.</summary>
    RichMinerals,

    /// <summary>Vespene.</summary>
    Vespene,
}

/// <summary>
/// The state of one unit, building or resource: plain data that the systems beside this file update. Places in 1/4096 of
/// a cell, life in 1/256 of a point, times in game loops.
/// </summary>
internal sealed class Unit(ulong tag, UnitType type, int owner)
{
    /// <summary>Its name for as long as it lives; morphs keep it.</summary>
    public ulong Tag { get; } = tag;

    /// <summary>What it is now; <see cref="GameWorld.Morph"/> changes it.</summary>
    public UnitType Type { get; set; } = type;

    /// <summary>A player's id, or <see cref="GameWorld.Neutral"/>.</summary>
    public int Owner { get; set; } = owner;

    /// <summary>Whose it was first: a neural parasite gives it back to that one.</summary>
    public int FirstOwner { get; } = owner;

    /// <summary>False once it is out of the world: check it where a reference is kept.</summary>
    public bool Alive { get; set; } = true;

    /// <summary>Where it is.</summary>
    public int X { get; set; }

    /// <summary>Where it is.</summary>
    public int Y { get; set; }

    /// <summary>Where it looks, in 1/65536 of a turn.</summary>
    public int Facing { get; set; }

    /// <summary>Life left.</summary>
    public int Health { get; set; }

    /// <summary>The most life it can have: its type's, and what an upgrade gives it.</summary>
    public int MostHealth => (Type.Health + MoreHealth) * 256;

    /// <summary>Life that an upgrade gives it beside its type's, in points.</summary>
    public int MoreHealth { get; set; }

    /// <summary>Places for passengers.</summary>
    public int CargoSpace => SpaceAs(Type);

    /// <summary>Places for passengers that upgrades add.</summary>
    public int MoreCargo { get; set; }

    /// <summary>Shields left.</summary>
    public int Shield { get; set; }

    /// <summary>Energy it has.</summary>
    public int Energy { get; set; }

    /// <summary>The loop of the last hit that it took: shields wait ten seconds to come back.</summary>
    public int LastHit { get; set; } = int.MinValue / 2;

    /// <summary>Until this loop, energy, shields and life do not regenerate: a debug command has set them.</summary>
    public int SetUntil { get; set; }

    /// <summary>Loops until it is built; 0 when it is.</summary>
    public int BuildLeft { get; set; }

    /// <summary>What it is told to do, the present order first.</summary>
    public List<Order> Orders { get; } = [];

    /// <summary>
    /// What it makes, the present product first (five places; eight, of which two at work, with a reactor).
    /// </summary>
    public List<Product> Queue { get; } = [];

    /// <summary>What it becomes, and when; null where it stays what it is.</summary>
    public Change? Change { get; set; }

    /// <summary>Where what it makes goes, and workers it makes (a town hall has two).</summary>
    public List<Rally> Rallies { get; } = [];

    /// <summary>A building's add-on; an add-on's building.</summary>
    public Unit? AddOn { get; set; }

    /// <summary>A refinery's geyser; a larva's and an egg's hatchery; an interceptor's carrier;
    /// a shade's adept.</summary>
    public Unit? Home { get; set; }

    /// <summary>The transport or bunker that it is in: it is then nowhere on the map.</summary>
    public Unit? Carrier { get; set; }

    /// <summary>Who is in it.</summary>
    public List<Unit> Passengers { get; } = [];

    /// <summary>Minerals or vespene that a resource (or the geyser below a refinery) still holds.</summary>
    public int Contents { get; set; }

    /// <summary>What a worker carries.</summary>
    public Load Load { get; set; }

    /// <summary>How much of it.</summary>
    public int LoadAmount { get; set; }

    /// <summary>Workers sent to this field, refinery or town hall: counted anew each loop.</summary>
    public int Harvesters { get; set; }

    /// <summary>How many workers a town hall has use for: two for each field in reach.</summary>
    public int IdealHarvesters { get; set; }

    /// <summary>Who mines this field, or is in this refinery, at this moment.</summary>
    public Unit? MinedBy { get; set; }

    /// <summary>Loops until who is in this refinery comes out.</summary>
    public int MiningLeft { get; set; }

    /// <summary>The field or refinery that a worker came from, to which it goes back.</summary>
    public Unit? Mines { get; set; }

    /// <summary>The worker that builds this building of the Terrans; nobody else can help.</summary>
    public Unit? Builder { get; set; }

    /// <summary>Loops that <see cref="BuildLeft"/> began with.</summary>
    public int BuildLoops { get; init; }

    /// <summary>Supply, in halves, that is held for what it makes or becomes, beside its own.</summary>
    public int HeldFood { get; set; }

    /// <summary>Loops until a hatchery's next larva.</summary>
    public int LarvaLeft { get; set; }

    /// <summary>How many larvae a hatchery has: counted anew each loop.</summary>
    public int Larvae { get; set; }

    /// <summary>Loops of queens' injections that a hatchery has before it, one after the other.</summary>
    public int InjectLeft { get; set; }

    /// <summary>Until its weapon is ready, in 1/256 of a loop.</summary>
    public int WeaponLeft { get; set; }

    /// <summary>Whom it fights.</summary>
    public Unit? Engaged { get; set; }

    /// <summary>
    /// The next cells of its way, newest last; empty where it goes straight. See <see cref="Movement"/>.
    /// </summary>
    public Way? Way { get; set; }

    /// <summary>The middle of a sieged liberator's zone: it shoots at nothing outside.</summary>
    public (int X, int Y)? Zone { get; set; }

    /// <summary>Abilities that are left on.</summary>
    public HashSet<int> Autocast { get; } = [];

    /// <summary>Loops until an ability can be used again, by ability.</summary>
    public Dictionary<int, int> Cooldowns { get; } = [];

    /// <summary>What works on it: buff id and the loop at which it ends.</summary>
    public List<(int Id, int Until)> Buffs { get; } = [];

    /// <summary>The loop at which it ends by itself (MULE, broodling, changeling, scan); 0: not.</summary>
    public int Expires { get; set; }

    /// <summary>How many loops it had when its timed life began.</summary>
    public int ExpiresAfter { get; set; }

    /// <summary>Whether it is cloaked, by itself or by a neighbour.</summary>
    public bool Cloaked { get; set; }

    /// <summary>Whether it is in a power field.</summary>
    public bool Powered { get; set; }

    /// <summary>Whether it is only looked at, not there.</summary>
    public bool Hallucination { get; set; }

    /// <summary>Bit n: player n sees it now. Set by <see cref="Vision"/>.</summary>
    public int SeenBy { get; set; }

    /// <summary>Bit n: player n detects what is cloaked here. Set by <see cref="Vision"/>.</summary>
    public int DetectedBy { get; set; }

    /// <summary>Whether another player sees it, cloaked as it may be.</summary>
    public bool IsKnownTo(int player) =>
        ((SeenBy >> player) & 1) != 0 && (!Cloaked || ((DetectedBy >> player) & 1) != 0);

    /// <summary>Whether it is built.</summary>
    public bool Finished => BuildLeft == 0;

    /// <summary>Whether it flies.</summary>
    public bool Flying => Type.Is(Kind.Flying);

    /// <summary>Its number in the order in which units were made.</summary>
    public int Number => (int)(Tag >> 18);

    /// <summary>
    /// Whether it is this unit's turn for what each unit does once in eight loops: not all in the same one.
    /// </summary>
    public bool IsDue(int loop) => ((loop + Number) & 7) == 0;

    /// <summary>Whether it is on the map, rather than in a transport.</summary>
    public bool Present => Carrier is null;

    /// <summary>Places for passengers if it were of a type.</summary>
    public int SpaceAs(UnitType type) => type.CargoSpace > 0 ? type.CargoSpace + MoreCargo : 0;

    /// <summary>What it does now, or null.</summary>
    public Order? Order => Orders.Count > 0 ? Orders[0] : null;
}

/// <summary>One thing that a unit is told to do.</summary>
/// <param name="ability">What; never a general one.</param>
internal sealed class Order(Ability ability)
{
    /// <summary>What.</summary>
    public Ability Ability { get; } = ability;

    /// <summary>To whom; it may have died.</summary>
    public Unit? Target { get; init; }

    /// <summary>Whether it goes to <see cref="X"/> and <see cref="Y"/> rather than to a unit.</summary>
    public bool HasPoint { get; init; }

    /// <summary>Where.</summary>
    public int X { get; init; }

    /// <summary>Where.</summary>
    public int Y { get; init; }

    /// <summary>Whether it is a move into the target, a transport.</summary>
    public bool Boards { get; init; }

    /// <summary>How far it is: each kind of order counts in its own way, from 0.</summary>
    public int Phase { get; set; }

    /// <summary>Loops until the phase goes on.</summary>
    public int Left { get; set; }

    /// <summary>What it has made so far: a worker's building.</summary>
    public Unit? Made { get; set; }

    /// <summary>Where a patrol came from.</summary>
    public (int X, int Y) From { get; set; }

    /// <summary>Whether a command for another order asks for this one again.</summary>
    /// <remarks>Targets of an ability that takes none are not compared. The game chooses them, such as a worker's town hall.</remarks>
    public bool IsRepeatedBy(Order other) => Ability.Id == other.Ability.Id && Boards == other.Boards
        && (Ability.Target == Aim.None || (HasPoint
            ? other.HasPoint && (X, Y) == (other.X, other.Y)
            : !other.HasPoint && Target == other.Target));
}

/// <summary>Something in a building's queue.</summary>
/// <param name="ability">What was asked for: it makes a unit or an upgrade.</param>
/// <param name="paid">What was paid, and is given back.</param>
/// <param name="loops">How long it takes.</param>
internal class Product(Ability ability, Price paid, int loops)
{
    /// <summary>What was asked for.</summary>
    public Ability Ability => ability;

    /// <summary>What was paid.</summary>
    public Price Paid => paid;

    /// <summary>Loops in all.</summary>
    public int Loops { get; } = loops;

    /// <summary>Loops left.</summary>
    public int Left { get; set; } = loops;

    /// <summary>Whether it is at work, its supply held.</summary>
    public bool Started { get; set; }
}

/// <summary>A unit on its way to being another type; three quarters of what was paid are given back.</summary>
/// <param name="order">The order that began it.</param>
/// <param name="paid">What was paid.</param>
/// <param name="loops">How long it takes.</param>
/// <param name="from">Out of what: an egg that is cancelled is a larva again.</param>
internal sealed class Change(Order order, Price paid, int loops, UnitType from)
    : Product(order.Ability, paid, loops)
{
    /// <summary>The order that began it. Observations show it, with its target, until the change ends.</summary>
    public Order Order => order;

    /// <summary>Out of what.</summary>
    public UnitType From => from;

    /// <summary>Into what.</summary>
    public UnitType Into { get; } = TechTree.Unit(order.Ability.Product);
}

/// <summary>Where new units go.</summary>
/// <param name="X">The place.</param>
/// <param name="Y">The place.</param>
/// <param name="Target">The unit there, or null.</param>
/// <param name="ForWorkers">Whether it is the workers' own.</param>
internal readonly record struct Rally(int X, int Y, Unit? Target, bool ForWorkers);
