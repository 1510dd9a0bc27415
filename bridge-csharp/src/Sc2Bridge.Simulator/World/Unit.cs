namespace Sc2Bridge.Simulator.World;

/// <summary>What a unit is doing.</summary>
internal enum Errand : byte
{
    /// <summary>Nothing.</summary>
    Idle,

    /// <summary>On the way to its mineral field or refinery.</summary>
    ToResource,

    /// <summary>Mining.</summary>
    Mining,

    /// <summary>On the way back to a town hall, loaded.</summary>
    Returning,

    /// <summary>On the way to where it will build.</summary>
    ToSite,

    /// <summary>Building (a Terran worker stays).</summary>
    Building,

    /// <summary>Going somewhere, not fighting on the way.</summary>
    Moving,

    /// <summary>Going somewhere and fighting what it meets.</summary>
    Attacking,
}

/// <summary>The state of one unit; the world keeps all of them in one flat array of slots.</summary>
/// <remarks>Distances are in 1/4096 of a cell, life in 1/256 of a point.</remarks>
internal struct Unit
{
    /// <summary>Whether the slot is in use.</summary>
    public bool Alive;

    /// <summary>How often the slot has been used: part of the tag.</summary>
    public int Generation;

    /// <summary>Index into <see cref="UnitTable.All"/>.</summary>
    public int Type;

    /// <summary>A player's id, or <see cref="GameWorld.NeutralOwner"/>.</summary>
    public int Owner;

    /// <summary>Where it is.</summary>
    public int X;

    /// <summary>Where it is.</summary>
    public int Y;

    /// <summary>Where it looks, in 1/65536 of a turn.</summary>
    public int Facing;

    /// <summary>Life, in 1/256.</summary>
    public int Health;

    /// <summary>Shields, in 1/256.</summary>
    public int Shield;

    /// <summary>Energy, in 1/256.</summary>
    public int Energy;

    /// <summary>Game loops until it is finished; 0 when it is.</summary>
    public int BuildLeft;

    /// <summary>What it does.</summary>
    public Errand Errand;

    /// <summary>Game loops until its present task goes on.</summary>
    public int Timer;

    /// <summary>
    /// The slot of its resource, its building site or its enemy, with <see cref="TargetGeneration"/>.
    /// </summary>
    public int Target;

    /// <summary>The generation that the target had.</summary>
    public int TargetGeneration;

    /// <summary>Where it goes.</summary>
    public int GoalX;

    /// <summary>Where it goes.</summary>
    public int GoalY;

    /// <summary>What a worker carries.</summary>
    public int Carry;

    /// <summary>Whether it carries vespene.</summary>
    public bool CarriesGas;

    /// <summary>What a resource still holds.</summary>
    public int Contents;

    /// <summary>The base it belongs to (a worker, a building, a resource).</summary>
    public int Base;

    /// <summary>Workers assigned to it.</summary>
    public int Harvesters;

    /// <summary>Game loops until its weapon is ready.</summary>
    public int Cooldown;

    /// <summary>
    /// What it makes, an index into <see cref="UnitTable.All"/>; -1 nothing. For a worker: what it will build.
    /// </summary>
    public int Product;

    /// <summary>How many it makes at once.</summary>
    public int Batch;

    /// <summary>What it researches, an index into <see cref="Upgrade.All"/>; -1 nothing.</summary>
    public int Research;

    /// <summary>Game loops until the product or research is done.</summary>
    public int ProductLeft;

    /// <summary>Its add-on's slot, or -1. For an add-on: its building's.</summary>
    public int AddOn;

    /// <summary>Its place among the base's building spots, or -1.</summary>
    public int Spot;

    /// <summary>Its facts.</summary>
    public readonly UnitFacts Facts => UnitTable.All[Type];

    /// <summary>Whether it is finished.</summary>
    public readonly bool Finished => BuildLeft == 0;
}
