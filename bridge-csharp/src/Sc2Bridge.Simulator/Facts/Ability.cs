using SC2APIProtocol;

namespace Sc2Bridge.Simulator.Facts;

/// <summary>What an ability makes.</summary>
internal enum Makes
{
    /// <summary>Nothing.</summary>
    Nothing,

    /// <summary>A unit, in the maker.</summary>
    Train,

    /// <summary>A unit, at a place in a power field.</summary>
    Warp,

    /// <summary>A building, by a worker.</summary>
    Build,

    /// <summary>A tech lab or reactor.</summary>
    AddOn,

    /// <summary>The unit itself into another type.</summary>
    Morph,

    /// <summary>A flying building into a standing one.</summary>
    Land,

    /// <summary>An upgrade.</summary>
    Research,
}

/// <summary>The facts of an ability.</summary>
internal sealed record Ability
{
    /// <summary>The game's id.</summary>
    public required int Id { get; init; }

    /// <summary>As ResponseData names it.</summary>
    public required string Link { get; init; }

    /// <summary>Which of the link's.</summary>
    public int Index { get; init; }

    /// <summary>As ResponseData has it; may be empty.</summary>
    public string Friendly { get; init; } = "";

    /// <summary>The general ability that stands for it, 0 for none.</summary>
    public int RemapsTo { get; init; }

    /// <summary>The ids that earlier builds of the game had for it.</summary>
    public IReadOnlyList<int> Formerly { get; init; } = [];

    /// <summary>What it is given: nothing, a point, a unit …</summary>
    public AbilityData.Types.Target? Target { get; init; }

    /// <summary>Whether it can be left on.</summary>
    public bool Autocast { get; init; }

    /// <summary>Half the side of the ground it needs, in cells as ResponseData has it; 0 for none.</summary>
    public float FootprintRadius { get; init; }

    /// <summary>In cells.</summary>
    public float CastRange { get; init; }

    /// <summary>What it makes.</summary>
    public Makes Makes { get; init; }

    /// <summary>A unit type's or an upgrade's id, by <see cref="Makes"/>.</summary>
    public int Product { get; init; }

    /// <summary>What it costs the unit.</summary>
    public int Energy { get; init; }

    /// <summary>Game loops until it can be used again.</summary>
    public int Cooldown { get; init; }
}

/// <summary>An upgrade that can be researched.</summary>
/// <param name="Id">The game's id.</param>
/// <param name="Name">The game's name.</param>
/// <param name="Minerals">Cost.</param>
/// <param name="Vespene">Cost.</param>
/// <param name="Loops">How long it takes.</param>
/// <param name="Ability">What researches it.</param>
internal sealed record UpgradeType(int Id, string Name, int Minerals, int Vespene, int Loops, Ability Ability);

/// <summary>An effect on the ground.</summary>
/// <param name="Id">The game's id.</param>
/// <param name="Name">The game's name.</param>
/// <param name="Friendly">The game's name for people.</param>
/// <param name="Radius">In cells.</param>
internal sealed record EffectType(int Id, string Name, string Friendly, float Radius);
