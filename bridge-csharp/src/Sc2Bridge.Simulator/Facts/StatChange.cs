namespace Sc2Bridge.Simulator.Facts;

/// <summary>What an upgrade changes of a unit type.</summary>
internal enum Stat
{
    /// <summary>Of its weapons, in cells.</summary>
    Range,

    /// <summary>In percent.</summary>
    Speed,

    /// <summary>Of its weapons, in percent.</summary>
    Haste,

    Life,

    Armor,

    /// <summary>Damage against light units, in points.</summary>
    Light,

    /// <summary>Places for passengers.</summary>
    Cargo,
}

/// <summary>What one upgrade adds to a unit type.</summary>
internal readonly record struct StatChange(int Upgrade, Stat Stat, int Value);
